import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, dnsSubdomain, oneOf, someText, refuseOptions } from '../problems';
import type { ArgoObjectProps } from './argo-object';
import { checkArgoObject, checkSecretLabels, argoObjectPropsKeys } from './argo-object';
import { checkRefreshInterval } from './external-value';
import { FieldChecks } from './field-checks';
import { refusePlainKeys } from './plain-keys';
import type { RepositoryCredential } from './repository-credential';
import { checkCredential, credentialData, repositoryCredentialKeys } from './repository-credential';
import { repositoryObject } from './repository-object';
import { checkRepositoryUrl } from './repository-url';

/** Where a repository is, and of what kind. */
export interface RepositoryLocation extends ArgoObjectProps {
  /** URL, without credentials. For an OCI registry (`enableOCI`) without `oci://`. */
  readonly url: string;
  /** Whether it holds a Git repository or Helm charts. @default 'git' */
  readonly type?: 'git' | 'helm';
  /** Whether the charts are in an OCI registry; only with `type: 'helm'`. @default false */
  readonly enableOCI?: boolean;
  /**
   * How often values in a secret store are read again, a Go duration; `0` for once.
   * @default - the operator's, an hour
   */
  readonly refreshInterval?: string;
}

export const repositoryLocationKeys: OptionsOf<RepositoryLocation> = {
  ...argoObjectPropsKeys,
  url: 'plain',
  type: 'plain',
  enableOCI: 'plain',
  refreshInterval: 'plain',
};

/** What Argo CD is told about a repository. */
export interface RepositoryProps extends RepositoryLocation {
  /**
   * What Argo CD logs in with.
   * @default - none: the repository is public, or a `RepositoryCredentials` whose URL begins its URL gives it
   */
  readonly credential?: RepositoryCredential;
  /** Name that Argo CD shows. @default - the object's name for charts, which need one; else none */
  readonly repositoryName?: string;
  /** Project that alone may use the repository. @default - every project that allows its URL */
  readonly project?: string;
}

const repositoryPropsKeys: OptionsOf<RepositoryProps> = {
  ...repositoryLocationKeys,
  credential: repositoryCredentialKeys,
  repositoryName: 'plain',
  project: 'plain',
};

/** Checks what a repository and credentials for several have in common. */
export function checkRepositoryLocation(checks: FieldChecks, props: RepositoryLocation): void {
  checkArgoObject(checks, props);
  checkSecretLabels(checks, props.labels);
  checkRepositoryUrl(checks, 'url', props.url);
  checks.optional('type', props.type, oneOf('git', 'helm'));
  checkRefreshInterval(checks, 'refreshInterval', props.refreshInterval);
  if (props.enableOCI && props.type !== 'helm') {
    checks.problems.add('enableOCI', props.enableOCI, 'left out, or given with "type: helm"');
  }
  if (props.enableOCI && /^[a-z]+:\/\//i.test(props.url)) {
    checks.problems.addSecret('url', 'the registry and path without a scheme: "enableOCI" is on');
  }
}

/** The fields of the Secret that say where and what. */
export function locationData({ url, type = 'git', enableOCI }: RepositoryLocation): Record<string, string> {
  return { url, type, ...(enableOCI ? { enableOCI: 'true' } : {}) };
}

/**
 * A Git or Helm repository that Argo CD knows: a Secret with the label
 * `argocd.argoproj.io/secret-type: repository`.
 *
 * A secret value of a credential is a token of a Pulumi secret, or it says where a secret store has the value. With the
 * former, only a Pulumi program can make the Secret. The latter is for GitOps repositories as well: instead of the Secret
 * there is an ExternalSecret, from which the External Secrets Operator makes it. For a Sealed Secret leave `credential` out,
 * and give its template the label `repo-creds` and a `url` that the repository's URL begins with.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#repositories
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/secret-management/
 *
 * @example
 * new gitops.Repository(chart, 'podinfo', { name: 'podinfo', url: 'https://github.com/stefanprodan/podinfo' });
 * new gitops.Repository(chart, 'config', {
 *   name: 'config',
 *   url: 'git@github.com:example/config.git',
 *   credential: { sshPrivateKey: bridge.outputToken(chart, config.requireSecret('deployKey')) },
 * });
 */
export class Repository extends Construct {
  /** The Secret. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or a secret field holds plain text */
  public constructor(scope: Construct, id: string, props: RepositoryProps) {
    refuseOptions(`Repository "${id}"`, props, repositoryPropsKeys);
    super(scope, id);
    const problems = new Problems(`Repository "${props.name}"`);
    const checks = new FieldChecks(problems);
    checkRepositoryLocation(checks, props);
    checks.optional('repositoryName', props.repositoryName, someText);
    checks.optional('project', props.project, dnsSubdomain);
    if (props.credential) {
      checkCredential(checks, props.credential, props.type ?? 'git', props.url);
    }
    problems.throwIfAny();
    this.apiObject = repositoryObject(this, 'repository', props, {
      ...locationData(props),
      name: props.repositoryName ?? (props.type === 'helm' ? props.name : undefined),
      project: props.project,
      ...credentialData(props.credential),
    });
    refusePlainKeys(this);
  }
}
