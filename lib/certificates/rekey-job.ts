import { createHash } from 'node:crypto';
import { parseDuration } from '../durations';
import type { AuthorityRekey } from './authority-rekey';

/** Folder of the authorities' certificates in a Job's pod. */
const folder = '/authorities';

/**
 * Where Kubernetes looks for the last words of a container, which a cluster's users see without its logs.
 * @see https://kubernetes.io/docs/tasks/debug/debug-application/determine-reason-pod-failure/
 */
const lastWords = '/dev/termination-log';

/** What a Job of a re-key is made of. */
export interface RekeyJob {
  /** What it does: `bundle`, `gate`, `retire`. */
  readonly does: string;
  readonly arguments: readonly string[];
  /** Name of the new generation. */
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  /** Secrets with the certificates of both generations. */
  readonly secrets: { readonly old: string; readonly renewed: string };
  readonly rekey: AuthorityRekey;
  /** Argo CD applies what has a lower number first, and waits for it. */
  readonly wave: number;
}

/**
 * A Job of a re-key. Its pod gets the authorities' certificates as files, never their keys, and no right to read Secrets.
 * A Job can't be changed, so another content is another name.
 */
export function rekeyJob(job: RekeyJob): {
  readonly [field: string]: unknown;
  readonly apiVersion: string;
  readonly kind: string;
} {
  const spec = jobSpec(job);
  const hash = createHash('sha256').update(JSON.stringify(spec)).digest('hex').slice(0, 8);
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: `${job.name}-${job.does}-${hash}`,
      namespace: job.namespace,
      annotations: {
        // A sync fails where the Job does, and what comes after it is not applied; the next sync tries it again.
        'argocd.argoproj.io/hook': 'Sync',
        'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation',
        'argocd.argoproj.io/sync-wave': String(job.wave),
        // Pulumi waits for it, no longer than its deadline; one that failed is made anew by the next `up`.
        'pulumi.com/timeoutSeconds': String(deadlineOf(job.rekey)),
        'pulumi.com/replaceUnready': 'true',
      },
    },
    spec,
  };
}

function waitOf({ wait = '10m' }: AuthorityRekey): number {
  return Math.ceil(parseDuration(wait)! / 1000);
}

/** Two tries; pulling the image and mounting the Secrets takes its time, too. In seconds. */
function deadlineOf(rekey: AuthorityRekey): number {
  return 2 * (waitOf(rekey) + 300);
}

function jobSpec({ name, serviceAccount, secrets, rekey, does, ...job }: RekeyJob): object {
  const labels = { 'app.kubernetes.io/name': 'rekey', 'app.kubernetes.io/instance': name };
  const certificate = (secret: string, path: string): object => ({
    secret: { name: secret, items: [{ key: 'tls.crt', path }] },
  });
  return {
    backoffLimit: 1,
    activeDeadlineSeconds: deadlineOf(rekey),
    template: {
      metadata: { labels },
      spec: {
        restartPolicy: 'Never',
        serviceAccountName: serviceAccount,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 65_532,
          runAsGroup: 65_532,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            name: does,
            image: rekey.image,
            command: ['cluster-canary'],
            args: [
              ...[...job.arguments, '--authorities', folder, '--wait', String(waitOf(rekey))],
              ...['--message', lastWords, '--json'],
            ],
            terminationMessagePath: lastWords,
            // Where it could not say anything: the end of its log.
            terminationMessagePolicy: 'FallbackToLogsOnError',
            resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
            volumeMounts: [{ name: 'authorities', mountPath: folder, readOnly: true }],
          },
        ],
        volumes: [
          {
            name: 'authorities',
            projected: {
              sources: [certificate(secrets.old, 'old.crt'), certificate(secrets.renewed, 'renewed.crt')],
            },
          },
        ],
      },
    },
  };
}
