/** The least that a swap file says. */
export const leastSwap = `fleet: apps
to: "1.36"
program:
  pulumi: { stack: production, slots: "talk:apps", weights: "talk:weights" }
phases:
  deliver: { checks: [{ argoApplications: {} }] }
`;

/** One that says everything. */
export const fullSwap = `fleet: apps
region: eu-west-1
to: { version: "1.36", nodes: { type: m7g.large } }
via: ["1.34", { version: "1.35", nodes: { type: m6g.large } }]
slots: [blue, green, teal]
moves: traffic
program:
  commands:
    read: [./fleet.py, read]
    deploy: [./fleet.py, apply]
lease:
  kubernetes: { namespace: swaps, context: hub }
route:
  router:
    albRule:
      ruleArn: arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2/9683b2d02a6cabee
  slots:
    blue: { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-blue/73e2d6bc24d8a067" }
    green: { targetGroupArn: "arn:aws:elasticloadbalancing:eu-west-1:123456789012:targetgroup/apps-green/73e2d6bc24d8a068" }
previews:
  green: { url: https://www.example.com, headers: { x-slot: green } }
windows:
  - { days: [Mon, Thu], from: "09:00", to: "16:30", timeZone: Europe/Berlin }
  - { from: "22:00", to: "24:00" }
phases:
  ready: { subjects: [eks-insights], manifests: [rendered], allow: [EKS09], failOn: warning, timeout: 5m }
  create: { timeout: 90m, approve: true, onFailure: delete }
  deliver: { timeout: 20m }
  try: { checks: [{ http: { paths: [/health] } }], onFailure: delete, timeout: 10m }
  prescale: { healthy: 80 }
  shift: { timeout: 2h, approve: { timeout: 4h, onTimeout: back } }
  soak: { for: 2h, every: 1m, checks: [{ targetHealth: {} }] }
  drain: { volumes: delete, sweep: false, hubs: [{ context: hub, namespace: argo }, { kubeconfig: other.yaml }] }
  delete: { approve: { onTimeout: goOn } }
`;

/** The least of several fleets: what is common, and a program for each. */
export const leastWaves = `to: "1.36"
fleet: apps
phases:
  deliver: { checks: [{ argoApplications: {} }] }
fleets:
  eu:
    region: eu-west-1
    program:
      pulumi: { stack: eu, slots: "talk:apps", weights: "talk:weights" }
  us:
    region: us-east-1
    program:
      pulumi: { stack: us, slots: "talk:apps", weights: "talk:weights" }
`;
