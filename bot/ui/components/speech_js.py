"""What every component says aloud with: a Chinese voice of the browser, at the visitor's pace."""

SPEECH_JS = """
const PACE = 'mockbot.speech.rate';
const pace = () => localStorage.getItem(PACE) || '1';

function utterance(synth, text) {
  const speech = new SpeechSynthesisUtterance(text);
  const voices = synth.getVoices();
  speech.lang = 'zh-CN';
  speech.rate = Number(pace());
  speech.voice = voices.find((v) => /^zh[-_]CN/i.test(v.lang) && v.localService)
    || voices.find((v) => /^zh[-_]CN/i.test(v.lang))
    || voices.find((v) => /^(zh|cmn)/i.test(v.lang)) || null;
  return speech;
}

const canSpeak = () => window.speechSynthesis && typeof SpeechSynthesisUtterance !== 'undefined';
"""
