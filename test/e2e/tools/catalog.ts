/** A Go program that the suite drives: an ordinary tool module in a folder of this name. */
export interface GoTool {
  readonly name: string;
  /** Programs by the name that the suite calls them by. */
  readonly programs: Readonly<Record<string, string>>;
  /** Linker flags behind `-s -w`. */
  readonly ldflags?: string;
  /** Build tags. */
  readonly tags?: string;
}

const kubernetesVersion = 'v1.35.4';
const pulumiVersion = '3.246.0';

const kubernetesFlags = [
  `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion}`,
  '-X k8s.io/component-base/version.gitMajor=1',
  '-X k8s.io/component-base/version.gitMinor=35',
].join(' ');

/** Every Go program that some suite needs; their versions are in the go.mod files beside this one. */
export const goTools: readonly GoTool[] = [
  { name: 'etcd', programs: { etcd: 'go.etcd.io/etcd/server/v3' } },
  {
    name: 'kubernetes',
    programs: {
      'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
      'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
      'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
    },
    ldflags: kubernetesFlags,
  },
  { name: 'kwok', programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' } },
  {
    name: 'pulumi',
    programs: { pulumi: 'github.com/pulumi/pulumi/pkg/v3/cmd/pulumi' },
    ldflags: `-X github.com/pulumi/pulumi/sdk/v3/go/common/version.Version=${pulumiVersion}`,
  },
  { name: 'cert-manager', programs: { 'cert-manager': '.' } },
  { name: 'argocd', programs: { argocd: 'github.com/argoproj/argo-cd/v3/cmd' } },
  {
    name: 'argo-rollouts',
    programs: { 'argo-rollouts': 'github.com/argoproj/argo-rollouts/cmd/rollouts-controller' },
  },
  {
    name: 'argo-workflows',
    programs: { 'workflow-controller': 'github.com/argoproj/argo-workflows/v3/cmd/workflow-controller' },
  },
  { name: 'argo-events', programs: { 'argo-events': 'github.com/argoproj/argo-events/cmd' } },
  { name: 'flagger', programs: { flagger: 'github.com/fluxcd/flagger/cmd/flagger' } },
  { name: 'nats-server', programs: { 'nats-server': 'github.com/nats-io/nats-server/v2' } },
  {
    name: 'prometheus',
    programs: { prometheus: 'github.com/prometheus/prometheus/cmd/prometheus' },
    // Without what looks for targets at clouds, whose clients are most of it.
    tags: 'remove_all_sd',
  },
  { name: 'pushgateway', programs: { pushgateway: 'github.com/prometheus/pushgateway' } },
  { name: 'opentelemetry-collector', programs: { 'otel-collector': '.' } },
  { name: 'kubeconform', programs: { kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform' } },
  { name: 'helm3', programs: { helm: 'helm.sh/helm/v3/cmd/helm' } },
  { name: 'helmfile', programs: { helmfile: 'github.com/helmfile/helmfile' } },
];
