"""Answers to the follow-up that asks for a drawing: right ones in words and Mermaid, and wrong ones."""

QUESTION, FOLLOW_UP = "Q10", "f1"

WORDS = {
    "in written words": """实线是实际的调用或消息，虚线是职责。实线部分：Engine Client 通过 ZMQ 消息把请求发给 EngineCore；EngineCore 每轮调用 Scheduler 的 schedule()，再调用 Executor 的 execute_model()；Executor 用 RPC 下发到各个 Worker，Worker 调用 ModelRunner 跑前向，结果再返回。虚线部分：Scheduler 负责每轮的 token 数和 KV 块，ModelRunner 负责准备输入和采样。""",
    "in spoken words": """我先说真正的调用顺序吧，前端那个 client 收到请求以后发个消息给 EngineCore，EngineCore 在循环里头每轮先去调一下调度器，拿到结果之后交给执行器，执行器再发给每张卡上的 worker，worker 里面再调 model runner。然后职责关系另外画，调度器的职责是管 token 额度还有 KV 块，model runner 的职责是准备输入张量。""",
    "as a chain of typed arrows": """调用/消息（实线）：
Client --ZMQ--> EngineCore --schedule()--> Scheduler
EngineCore --execute_model--> Executor --RPC--> Worker --> ModelRunner
职责（虚线）：
Scheduler ..> 本轮 token 数、KV 块
ModelRunner ..> 输入张量、采样""",
}

DIAGRAMS = {
    "flowchart with labelled arrows": """```mermaid
flowchart TD
  API[API Server] --> CL[AsyncLLM / Engine Client]
  CL -->|"ZMQ 消息"| EC(EngineCore)
  EC -->|"每轮调用 schedule"| SCH[Scheduler]
  EC -->|调用 execute_model| EXE[Executor]
  EXE -->|RPC 消息| WK[Worker × N]
  WK -->|调用| MR[ModelRunner]
  MR -->|返回采样结果| EC
  SCH -. 职责 .-> KV[(KV 块与 token 额度)]
  MR -. 职责 .-> IN[准备输入、跑前向]
```""",
    "flowchart with a legend and bare arrows": """图例：实线表示调用或消息，虚线表示职责。
```mermaid
graph LR
  Client --> EngineCore --> Scheduler
  EngineCore --> Executor --> Worker --> ModelRunner
  Scheduler -.-> KV["KV 块"]
  Scheduler -.-> T["本轮 token 数"]
  ModelRunner -.-> I["输入张量"]
```""",
    "sequence diagram without a fence": """sequenceDiagram
  participant C as Engine Client
  participant E as EngineCore
  participant S as Scheduler
  participant X as Executor
  participant W as Worker
  participant M as ModelRunner
  C->>E: add_request（ZMQ 消息）
  loop 每一轮
    E->>S: schedule()
    S-->>E: SchedulerOutput
    Note over S: 职责：Scheduler 决定本轮 token 数并分配 KV 块
    E->>X: execute_model()
    X->>W: RPC
    W->>M: execute_model()
    Note over M: 职责：ModelRunner 准备输入张量
    M-->>W: 采样结果
  end
  E-->>C: 输出流""",
}

WRONG = {
    "arrows reversed": """```mermaid
flowchart TD
  EC(EngineCore) -->|"消息"| CL[Engine Client]
  SCH[Scheduler] -->|"调用"| EC
  EXE[Executor] -->|调用| EC
  MR[ModelRunner] -->|调用| WK[Worker]
  WK --> EXE
```""",
    "components without arrows": """```mermaid
flowchart TD
  CL[Engine Client]
  EC(EngineCore)
  SCH[Scheduler]
  EXE[Executor]
  WK[Worker]
  MR[ModelRunner]
  KV[KV 块]
```""",
    "a web shop": """实线是调用，虚线是职责。
```mermaid
flowchart TD
  A[浏览器] -->|调用| G[API 网关]
  G -->|调用| O[订单服务]
  O -->|消息| Q[消息队列]
  O -. 职责 .-> DB[(库存数据)]
  Q -.->|职责| S2[短信发送]
```""",
    "a cluster": """```mermaid
flowchart LR
  kubectl -->|调用| api[API Server]
  api -->|消息| Scheduler
  Scheduler -. 职责 .-> Pod
  api -->|调用| kubelet
```""",
    "lines without heads": """```mermaid
graph LR
  Client --- EngineCore --- Scheduler
  EngineCore --- Executor --- Worker --- ModelRunner
```""",
    "reversed in words": """Scheduler 调用 EngineCore，EngineCore 再调用 Client；ModelRunner 调用 Worker，Worker 调用 Executor。""",
}
"""None of these says anything that the follow-up asks for."""

HALF = """```mermaid
flowchart TD
  CL[Engine Client] --> EC(EngineCore)
  EC --> SCH[Scheduler]
```"""
"""Two arrows of the chain, and nothing that tells a duty from a call."""

ALIKE = """```mermaid
graph LR
  Client --> EngineCore --> Scheduler
  EngineCore --> Executor --> Worker --> ModelRunner
  Scheduler --> KV
```"""
"""The whole chain, with arrows that are all alike."""
