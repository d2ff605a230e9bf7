import type { MessagePattern } from './pattern';

/** Logins and connections: to Git, registries, and clusters. */
export const connectionPatterns: readonly MessagePattern[] = [
  {
    cause: 'cluster-unauthorised',
    category: 'environment',
    expression:
      /(?:cluster (?:info|version) for(?: cluster)? "(?<by>[^"]{1,500})"[^]{0,1000}?)(?:asked for the client to provide credentials|Unauthorized|getting credentials)/,
    rule: 'The cluster answers and does not know the caller.',
    advice:
      'Run `cluster-canary doctor clusters`: the access entry, the role and the session tags of the hub; then `doctor clock`, since tokens are signed with the time.',
    sources: [
      'argoproj/argo-cd v3.3.4 controller/cache/cache.go',
      'kubernetes/apimachinery v0.35.4 pkg/api/errors/errors.go',
    ],
  },
  {
    cause: 'cluster-unreachable',
    category: 'environment',
    expression:
      /cluster (?:info|version) for(?: cluster)? "(?<by>[^"]{1,500})"|failed to sync cluster (?<host>\S{1,500}): /,
    rule: 'Argo CD could not read the live objects, so the failure is of the cluster and not of an object.',
    advice:
      'Run `cluster-canary doctor clusters`: endpoint, security group on 443, certificate authority, and whether the cluster still exists.',
    sources: [
      'argoproj/argo-cd v3.3.4 controller/cache/cache.go',
      'argoproj/argo-cd v3.3.4 controller/state.go',
    ],
  },
  {
    cause: 'credentials-asked-for',
    category: 'environment',
    expression: /the server has asked for the client to provide credentials|getting credentials: exec: /,
    rule: 'The API server does not know the caller.',
    advice: 'Run `cluster-canary doctor clusters`, then `cluster-canary doctor clock`.',
    sources: ['kubernetes/apimachinery v0.35.4 pkg/api/errors/errors.go'],
  },
  {
    cause: 'github-app-refused',
    category: 'environment',
    expression:
      /could not refresh installation id (?<by>\d{1,20})'s token|could not get access_tokens from GitHub API/,
    rule: 'GitHub did not hand out a token for the GitHub App: its key, its installation, or the clock of the node.',
    advice:
      'Run `cluster-canary doctor github` and `cluster-canary doctor clock`: with a wrong clock only some pods are refused.',
    sources: ['bradleyfalzon/ghinstallation v2.17.0 transport.go'],
  },
  {
    cause: 'host-key-unknown',
    category: 'environment',
    expression: /knownhosts: key |Host key verification failed|ssh: host key mismatch/,
    rule: 'The SSH server shows a key that Argo CD does not know.',
    advice:
      'Compare the key with the one that the host publishes, and put it into the ConfigMap `argocd-ssh-known-hosts-cm`.',
    sources: ['golang/crypto v0.43.0 ssh/knownhosts/knownhosts.go'],
  },
  {
    cause: 'login-refused',
    category: 'environment',
    expression:
      /authentication required|authorization failed|invalid credentials|could not read (?:Username|Password)|Authentication failed for|Permission denied \(publickey|unable to authenticate|\b40[13] (?:Unauthorized|Forbidden)|invalid username or (?:password|token)|error creating SSH agent/i,
    places: ['condition', 'operation'],
    rule: 'A Git host, chart repository or registry did not accept the credentials, or there are none for this URL.',
    advice:
      'Look which repository Secret or credential template fits the URL (the longest prefix wins), and try its credentials; with a GitHub App run `cluster-canary doctor github`.',
    sources: [
      'go-git/go-git v5.16.4 plumbing/transport/http/common.go',
      'argoproj/argo-cd v3.3.4 util/helm/client.go',
    ],
  },
  {
    cause: 'name-not-found',
    category: 'environment',
    expression:
      /lookup (?<by>[^\s:]{1,253})[^]{0,200}?(?:no such host|server misbehaving|i\/o timeout)|Could not resolve host|no such host/,
    rule: 'A name could not be resolved: DNS, a name that is gone, or a network without the way to it.',
    advice: 'Resolve the name from a pod of Argo CD; check CoreDNS and private hosted zones.',
    sources: ['golang/go go1.26.8 src/net/net.go'],
  },
  {
    cause: 'certificate-not-trusted',
    category: 'environment',
    expression: /x509: /,
    rule: 'A certificate on the way to Git, a registry or a cluster is not trusted. It is no webhook: those name themselves.',
    advice:
      'Put the authority into the ConfigMap `argocd-tls-certs-cm` for Git and Helm, or into `tlsClientConfig.caData` of the cluster Secret; check the clock of the node where the message is expired or not yet valid.',
    sources: ['golang/go go1.26.8 src/crypto/x509/verify.go'],
  },
  {
    cause: 'git-failed',
    category: 'environment',
    expression:
      /`git |failed to list refs|Failed to (?:fetch|checkout)|repository not found|unable to ls-remote|unknown error: remote:/i,
    rule: 'The Git host did not serve what was requested.',
    advice: 'Run the same `git ls-remote` or `git fetch` from a pod of the repository server.',
    sources: [
      'argoproj/argo-cd v3.3.4 util/git/client.go',
      'argoproj/argo-cd v3.3.4 reposerver/repository/repository.go',
    ],
  },
];

/** Connections that broke, where nothing else is known of them. */
export const brokenConnectionPatterns: readonly MessagePattern[] = [
  {
    cause: 'connection-lost',
    category: 'transient',
    expression:
      /context deadline exceeded|i\/o timeout|TLS handshake timeout|connection (?:refused|reset by peer)|unexpected EOF|http2: |client connection lost|net\/http: /,
    places: ['resource', 'health'],
    rule: 'A call to the API server was not answered; the same call may be answered next time.',
    advice: 'Wait for the next try. If it lasts, run `cluster-canary doctor clusters`.',
    sources: [
      'golang/go go1.26.8 src/context/context.go',
      'golang/go go1.26.8 src/syscall/zerrors_linux_amd64.go',
    ],
  },
  {
    cause: 'not-reachable',
    category: 'environment',
    expression:
      /context deadline exceeded|i\/o timeout|TLS handshake timeout|connection (?:refused|reset by peer)|no route to host|unexpected EOF|dial tcp/,
    rule: 'Something that Argo CD needs does not answer.',
    advice: 'Read which address the message names, and try it from the pod that reports it.',
    sources: [
      'golang/go go1.26.8 src/context/context.go',
      'golang/go go1.26.8 src/syscall/zerrors_linux_amd64.go',
    ],
  },
];

/** Comparisons that failed: what Argo CD could not read is no fault of an object. They come before what the API server says. */
export const comparisonPatterns: readonly MessagePattern[] = [
  {
    cause: 'comparison-failed',
    category: 'environment',
    expression:
      /Failed to (?:load live|compare desired) state|error synchronizing cache state|failed to load initial state of resource|error getting openapi resources|failed to load open api schema|error setting app health|failed to get resource health/,
    rule: 'Argo CD could not read or compare, so it does not know whether anything has to be done.',
    advice:
      'Read the end of the message: a right to list that the controller lacks, an APIService without pods behind it, or a schema that does not fit. `cluster-canary doctor clusters` checks the way to the cluster.',
    sources: [
      'argoproj/argo-cd v3.3.4 controller/state.go',
      'argoproj/argo-cd v3.3.4 controller/cache/cache.go',
      'argoproj/gitops-engine 97ad5b59a627 pkg/cache/cluster.go',
    ],
  },
];
