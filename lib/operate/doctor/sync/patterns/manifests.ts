import type { MessagePattern } from './pattern';

const repositoryServer = 'argoproj/argo-cd v3.3.4 reposerver/repository/repository.go';

const yamlSources = [
  'argoproj/gitops-engine 97ad5b59a627 pkg/utils/kube/kube.go',
  'kubernetes-sigs/yaml v1.6.0 yaml.go',
];

/** What comes between Git and objects: plugins, Helm, Kustomize, the repository server. */
export const manifestPatterns: readonly MessagePattern[] = [
  {
    cause: 'plugin-not-found',
    category: 'environment',
    expression:
      /could not find (?:cmp-server )?plugin (?:with name "(?<by>[^"]{1,253})" )?supporting the given repository/,
    rule: 'No sidecar of the repository server answers to the name of the plugin, or its discovery does not know the repository.',
    advice:
      'Compare the name with `metadata.name` and `spec.version` of the plugins (NAME-VERSION where a version is set), and look whether the sidecar runs: `cluster-canary doctor plugin APP`.',
    sources: ['argoproj/argo-cd v3.3.4 util/app/discovery/discovery.go'],
  },
  {
    cause: 'plugin-text-is-no-manifest',
    category: 'environment',
    expression:
      /(?:CMP processing failed|plugin sidecar failed|CMP manifests|generating manifests in cmp)[^]{0,4000}?(?:unmarshal|converting YAML to JSON|Object 'Kind' is missing)/,
    rule: 'The plugin has ended well, and what it wrote to stdout is not objects: a log line, a warning or an error of a tool is among it.',
    advice:
      'Run `cluster-canary doctor plugin APP --checkout DIR --run`: it runs the same command and names the line. Messages belong on stderr, and a pipe needs `set -o pipefail`.',
    sources: [repositoryServer, 'argoproj/argo-cd v3.3.4 cmpserver/plugin/plugin.go', ...yamlSources],
  },
  {
    cause: 'plugin-command-failed',
    category: 'environment',
    expression: /CMP processing failed|plugin sidecar failed|generating manifests in cmp/,
    rule: 'The command of the plugin did not end well, or its sidecar did not answer.',
    advice: 'Run `cluster-canary doctor plugin APP --checkout DIR --run`, and read what the command prints.',
    sources: [repositoryServer, 'argoproj/argo-cd v3.3.4 cmpserver/plugin/plugin.go'],
  },
  {
    cause: 'text-is-no-manifest',
    category: 'environment',
    expression:
      /failed to unmarshal manifest|Failed to unmarshal "(?<by>[^"]{1,253})"|error unmarshaling JSON|error converting YAML to JSON|Object 'Kind' is missing in/i,
    rule: 'What was read or generated is not Kubernetes objects.',
    advice:
      'Render the source as Argo CD does and read the line. With a plugin: `cluster-canary doctor plugin APP --checkout DIR --run`. Argo CD keeps the error: request a hard refresh after the fix.',
    sources: [repositoryServer, ...yamlSources],
  },
  {
    cause: 'manifests-too-large',
    category: 'environment',
    expression: /received message larger than max|exceeded max combined manifest file size/,
    rule: 'The manifests of the Application are larger than Argo CD passes on.',
    advice:
      'Split the Application, or raise the limit: `reposerver.max.combined.directory.manifests.size` for files, ARGOCD_GRPC_MAX_SIZE_MB for what is passed on.',
    sources: ['grpc/grpc-go v1.77.0 rpc_util.go', repositoryServer],
  },
  {
    cause: 'helm-failed',
    category: 'environment',
    expression: /helm (?:template|dependency|pull|fetch|registry|repo)\b[^]{0,4000}?failed/,
    rule: 'Helm did not render the chart: its message is at the end.',
    advice:
      'Run the same `helm template` on a checkout with the values of the Application, and fix chart or values.',
    sources: ['argoproj/argo-cd v3.3.4 util/exec/exec.go', 'helm/helm v3.22.0 pkg/engine/engine.go'],
  },
  {
    cause: 'kustomize-failed',
    category: 'environment',
    expression: /kustomize build\b|accumulating resources/,
    rule: 'Kustomize did not build: its message is at the end.',
    advice: 'Run `kustomize build` on a checkout of the revision.',
    sources: ['kubernetes-sigs/kustomize api/v0.20.1 api/internal/target/kusttarget.go'],
  },
];

/** Failures on the way to manifests that say no more than that. They come after all that is more exact. */
export const generationPatterns: readonly MessagePattern[] = [
  {
    cause: 'repository-server-unreachable',
    category: 'environment',
    expression: /code = Unavailable|code = DeadlineExceeded|code = Canceled|failed to connect to repo server/,
    places: ['condition', 'operation'],
    rule: "The repository server (or a plugin's sidecar) did not answer in time, or not at all.",
    advice:
      "Check the repository server's pods: restarts, memory, and how many manifests they make at a time (`reposerver.parallelism.limit`).",
    sources: [
      'grpc/grpc-go v1.77.0 internal/transport/http2_client.go',
      'argoproj/argo-cd v3.3.4 controller/state.go',
    ],
  },
  {
    cause: 'manifests-not-generated',
    category: 'environment',
    expression:
      /Manifest generation error|failed to generate manifest|Failed to load target state|rpc error: code = /i,
    places: ['condition', 'operation'],
    rule: 'Argo CD could not make manifests of the source, so it has nothing to compare.',
    advice: 'Read the end of the message; the log of the repository server has the whole of it.',
    sources: ['argoproj/argo-cd v3.3.4 controller/state.go', repositoryServer],
  },
];

/** What became of objects that were applied. */
export const healthPatterns: readonly MessagePattern[] = [
  {
    cause: 'progress-deadline',
    category: 'user',
    expression: /exceeded its progress deadline/,
    rule: "The pods of a new revision did not become ready in time: they are refused, can't start, or are not ready.",
    advice: 'Check the newest ReplicaSet and its pods: events, then logs.',
    sources: ['argoproj/gitops-engine 97ad5b59a627 pkg/health/health_deployment.go'],
  },
  {
    cause: 'image-not-pulled',
    category: 'user',
    expression:
      /Back-off pulling image "?(?<by>[^"\s]{1,500})|ErrImagePull|[Ff]ailed to pull (?:and unpack )?image/,
    rule: 'The image is not there under this name, or may not be read.',
    advice: 'Fix name, tag or digest of the image, or the credentials of the node or pod for the registry.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/kubelet/images/image_manager.go'],
  },
  {
    cause: 'container-fails',
    category: 'user',
    expression: /back-off \S{1,40} restarting failed container/,
    rule: 'The program ends again and again.',
    advice: 'Read the log of its last run: `kubectl logs --previous`.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/kubelet/kuberuntime/kuberuntime_manager.go'],
  },
  {
    cause: 'job-failed',
    category: 'user',
    expression: /Job has reached the specified backoff limit|Job was active longer than specified deadline/,
    rule: 'A Job, often a hook, has failed as often as it may.',
    advice: 'Read the logs of its pods, and sync again when the reason is fixed.',
    sources: ['kubernetes/kubernetes v1.35.4 pkg/controller/job/job_controller.go'],
  },
];
