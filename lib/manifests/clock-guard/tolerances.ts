/** Something that does not work on a node whose clock is off. */
export interface ClockTolerance {
  /** Name in kebab case. */
  readonly id: 'github' | 'eks-token' | 'aws-request' | 'new-certificate' | 'cluster-certificate';
  /** So many seconds slow are borne. Infinity where slowness does not matter. */
  readonly slow: number;
  /** So many seconds fast are borne. Infinity where it does not matter to be fast. */
  readonly fast: number;
  /** What happens beyond, for a clock that is slow or fast. */
  readonly effect: {
    /** Where the clock is slow. */
    readonly slow: string;
    /** Where the clock is fast. */
    readonly fast: string;
  };
  /** Where the figures come from. */
  readonly source: string;
}

/** From how many seconds on a skew is reported, in either direction. */
export const clockLimits = {
  /** A clock that is kept in time is off by milliseconds; 10 s is a third of what GitHub bears. */
  warning: 10,
  /** Five seconds less than what GitHub bears of a clock that is fast. */
  critical: 25,
} as const;

/** What bears which skew. Of Argo CD's and a cluster's own traffic; other software may bear less. */
export const clockTolerances: readonly ClockTolerance[] = [
  {
    id: 'github',
    slow: 90,
    fast: 30,
    effect: {
      slow: 'GitHub refuses the App tokens of its pods with 401: they have expired before they are sent',
      fast: 'GitHub refuses the App tokens of its pods with 401: they are issued in the future',
    },
    // Argo CD 3.3.4 uses 2.17.0: issued 30 s before now, expires 2 min after that.
    source: 'https://github.com/bradleyfalzon/ghinstallation/blob/v2.17.0/appsTransport.go',
  },
  {
    id: 'eks-token',
    slow: 60,
    fast: Infinity,
    effect: {
      slow: 'EKS refuses tokens in their last minutes: they are used for 14 minutes by this clock and accepted for 15 by the real one',
      fast: '',
    },
    source: 'https://github.com/argoproj/argo-cd/blob/v3.3.4/cmd/argocd-k8s-auth/commands/aws.go',
  },
  {
    id: 'aws-request',
    slow: 300,
    fast: 300,
    effect: {
      slow: 'AWS, also STS, denies signed requests: their time stamps are over 5 minutes old',
      fast: 'AWS, also STS, denies signed requests: their time stamps are over 5 minutes ahead',
    },
    source: 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html',
  },
  {
    id: 'new-certificate',
    slow: 0,
    fast: Infinity,
    effect: {
      slow: 'TLS: a certificate that cert-manager has just issued is not valid yet for its pods, until their clock gets there',
      fast: '',
    },
    source: 'https://github.com/cert-manager/cert-manager/blob/v1.21.2/pkg/util/pki/certificatetemplate.go',
  },
  {
    id: 'cluster-certificate',
    slow: 300,
    fast: Infinity,
    effect: {
      slow: 'TLS: a certificate that the cluster has just signed is not valid yet, though it is dated 5 minutes back: kubelet may not join again',
      fast: '',
    },
    source:
      'https://github.com/kubernetes/kubernetes/blob/v1.35.4/pkg/controller/certificates/signer/signer.go',
  },
];
