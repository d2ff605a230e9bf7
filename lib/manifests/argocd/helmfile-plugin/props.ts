import { across, falseOr, list, object, optional, record } from '../../../core/validation/collections';
import { dnsLabel, dnsSubdomain, imageByDigest } from '../../../core/validation/formats';
import type { Format } from '../../../core/validation/problems';
import type { Schema } from '../../../core/validation/schema';
import { holdsLogin, namesSecret } from '../../../core/validation/secrets';
import { anything, flag, following, secret, whole } from '../../../core/validation/values';

/** What a `HelmfilePlugin` is made of. */
export interface HelmfilePluginProps {
  /**
   * Image with a POSIX shell, helmfile 1.8 or newer and Helm, by its digest: `NAME@sha256:…`. A tag may be another program for the pod
   * that starts tomorrow.
   */
  readonly image: string;
  /** Name of the plugin, for `source.plugin.name` of an Application: a DNS label. @default 'helmfile' */
  readonly name?: string;
  /** Namespace of Argo CD. @default 'argocd' */
  readonly namespace?: string;
  /** helmfile's environment where an Application names none. @default - helmfile's own: `default` */
  readonly environment?: string;
  /**
   * Names of the releases that the cluster got before Argo CD: they are left out of every helmfile. Derive it from the list of
   * add-ons, which says who delivers each, so that it is written once.
   */
  readonly bootstrapped: readonly string[];
  /**
   * Variables of an Application's `source.plugin.env` that helmfile sees by their own names, for `requiredEnv "REGION"`. All of them
   * are there as `ARGOCD_ENV_REGION`; Argo CD puts that before the name so that an Application can't set PATH.
   * @default - none
   */
  readonly variables?: readonly string[];
  /**
   * Whether helmfile's `exec` and its hooks are off, and remote files. On, whoever writes to a repository can run programs in
   * the sidecar.
   * @see https://helmfile.readthedocs.io/en/latest/templating/
   * @default false - a repository of helmfiles works as it is
   */
  readonly restricted?: boolean;
  /**
   * Pattern of a file that makes Argo CD take the plugin for an Application that names none. `false`: it must be named.
   * @default 'helmfile.*'
   */
  readonly discover?: string | false;
  /** Longest run, in seconds, 10 to 1800. @default 90 - Argo CD's own for plugins */
  readonly timeoutSeconds?: number;
  /** Variables of the sidecar, say `AWS_REGION` for references to secrets. @default - none */
  readonly env?: Readonly<Record<string, string>>;
  /** Kubernetes resources of the sidecar. @default - 100m CPU and 256Mi asked for, 1Gi at most: Helm keeps whole charts in memory */
  readonly resources?: object;
}

/** Name of the plugin where nothing else is said. */
export const defaultName = 'helmfile';

/** Argo CD's own limit for a plugin's command. */
export const defaultTimeoutSeconds = 90;

const environment: Format = {
  allowed: 'the name of an environment: letters, digits, "-", "_" and "."',
  accepts: (value) => typeof value === 'string' && /^[A-Za-z0-9][\w.-]*$/.test(value),
};

const variable: Format = {
  allowed:
    'the name of a variable (letters, digits and "_", no digit first) that no program of the sidecar reads: not PATH, HOME, HELM_…',
  accepts: (value) =>
    typeof value === 'string' &&
    /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) &&
    !/^(PATH|HOME|SHELL|ENV|IFS|TMPDIR|LD_.*|HELM.*|KUBE.*|CHARTIFY_.*|ARGOCD_.*|AWS_.*|GIT_.*|HTTPS?_PROXY|NO_PROXY)$/i.test(
      value,
    ),
};

/** Helm would take "{{" for a template of the chart. */
const plainText: Format = {
  allowed: 'a text without "{{"',
  accepts: (value) => typeof value === 'string' && !value.includes('{{'),
};

const env = across(record(secret(following(plainText))), (variables, { mustBeSecretly }) => {
  for (const [name, value] of Object.entries(variables)) {
    if (plainText.accepts(value) && (namesSecret(name) || holdsLogin(String(value)))) {
      mustBeSecretly(
        [name],
        'left out: it is a secret, and whoever may read the pod would see it; keep it in a Secret',
      );
    }
  }
});

export const helmfilePluginProps: Schema<HelmfilePluginProps> = object<HelmfilePluginProps>({
  image: following(imageByDigest),
  name: optional(following(dnsLabel)),
  namespace: optional(following(dnsLabel)),
  environment: optional(following(environment)),
  bootstrapped: list(following(dnsSubdomain)),
  variables: optional(list(following(variable))),
  restricted: optional(flag),
  discover: optional(falseOr<string>(following(plainText), `${plainText.allowed}, or false`)),
  timeoutSeconds: optional(whole(10, 1800)),
  env: optional(env),
  resources: optional(record(anything)),
});
