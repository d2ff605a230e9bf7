import { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import { object, optional } from '../../core/validation/collections';
import { dnsSubdomain, oneOfWords, nonEmptyText } from '../../core/validation/formats';
import type { Problem } from '../../core/validation/problems';
import type { Entries, Unevaluated } from '../../core/validation/schema';
import { flag } from '../../core/validation/values';
import { completed, refuseProps, constructSubject } from '../field-schemas';
import { argoSecret, secretMetadata, secretObjectEntries } from './argo-object';
import type { ArgoObjectProps } from './argo-object';
import {
  credentialData,
  credentialProblems,
  repositoryCredentialSchema,
  repositoryUrl,
} from './repository-credential';
import type { RepositoryCredential } from './repository-credential';
import { isExternal, forbidPlainTextKeys, refreshInterval, remoteReference, storeOf } from './secrets';
import type { ExternalValue } from './secrets';

/** Group and version of the External Secrets Operator, from its release 0.16 on. */
const externalSecretsApiVersion = 'external-secrets.io/v1';

/** Fields of a repository's Secret: texts, and where texts are. */
export type RepositoryFields = Readonly<Record<string, string | ExternalValue | undefined>>;

/**
 * The object that makes a repository's Secret: the Secret itself, or, where a value comes from a store, an ExternalSecret of
 * the same name, with the Secret as its template.
 *
 * @see https://github.com/external-secrets/external-secrets/blob/0126c16c6faf5bef4b02fc4b6b0090dff87b6b7d/apis/externalsecrets/v1/externalsecret_types.go
 */
function repositoryObject(
  scope: Construct,
  secretType: 'repository' | 'repo-creds',
  props: ArgoObjectProps & { readonly refreshInterval?: string },
  fields: RepositoryFields,
): ApiObject {
  const external = Object.entries(fields).filter((entry): entry is [string, ExternalValue] =>
    isExternal(entry[1]),
  );
  const [first] = external;
  if (!first) {
    return argoSecret(scope, secretType, props, fields as Readonly<Record<string, string | undefined>>);
  }
  const { name, namespace, labels, annotations } = secretMetadata(props, secretType);
  return new ApiObject(scope, 'Resource', {
    apiVersion: externalSecretsApiVersion,
    kind: 'ExternalSecret',
    // The label that Argo CD looks for belongs on the Secret alone.
    metadata: { name, namespace, labels: { ...props.labels }, ...(annotations && { annotations }) },
    spec: {
      secretStoreRef: storeOf(first[1]),
      ...(props.refreshInterval === undefined ? {} : { refreshInterval: props.refreshInterval }),
      target: {
        name,
        creationPolicy: 'Owner',
        template: {
          type: 'Opaque',
          engineVersion: 'v2',
          metadata: { labels, ...(annotations && { annotations }) },
          data: Object.fromEntries(
            Object.entries(fields)
              .filter(([, value]) => value !== undefined)
              .map(([key, value]) => [key, isExternal(value) ? `{{ .${key} }}` : value]),
          ),
        },
      },
      data: external.map(([key, value]) => ({ secretKey: key, remoteRef: remoteReference(value) })),
    },
  });
}

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

const repositoryLocationEntries: Entries<RepositoryLocation> = {
  ...secretObjectEntries,
  url: repositoryUrl(),
  type: optional(completed(oneOfWords('git', 'helm'))),
  enableOCI: optional(flag),
  refreshInterval: optional(refreshInterval),
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

const repositorySchema = object<RepositoryProps>({
  ...repositoryLocationEntries,
  credential: optional(repositoryCredentialSchema),
  repositoryName: optional(completed(nonEmptyText)),
  project: optional(completed(dnsSubdomain)),
});

/** What does not go together in a repository and its credential. Each may be wrong by itself. */
function repositoryProblems(props: Unevaluated<RepositoryProps>): readonly Problem[] {
  const { url, type = 'git', enableOCI, credential } = props;
  const isOci = enableOCI === true;
  const needsHelm = 'left out, or given with "type: helm"';
  const withoutScheme = 'the registry and path without a scheme: "enableOCI" is on';
  return [
    ...(isOci && type !== 'helm' ? [{ path: 'enableOCI', value: enableOCI, allowed: needsHelm }] : []),
    ...(isOci && typeof url === 'string' && /^[a-z]+:\/\//i.test(url)
      ? [{ path: 'url', allowed: withoutScheme }]
      : []),
    ...credentialProblems(credential, type, url),
  ];
}

/** The fields of the Secret that say where and what. */
function locationData({ url, type = 'git', enableOCI }: RepositoryLocation): Record<string, string> {
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
 * new argocd.Repository(chart, 'podinfo', { name: 'podinfo', url: 'https://github.com/stefanprodan/podinfo' });
 * new argocd.Repository(chart, 'config', {
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
    refuseProps(constructSubject('Repository', id, props), repositorySchema, props, () =>
      repositoryProblems(props),
    );
    super(scope, id);
    this.apiObject = repositoryObject(this, 'repository', props, {
      ...locationData(props),
      name: props.repositoryName ?? (props.type === 'helm' ? props.name : undefined),
      project: props.project,
      ...credentialData(props.credential),
    });
    forbidPlainTextKeys(this);
  }
}

/** One credential for many repositories; `url` is how their URLs begin. */
export interface RepositoryCredentialsProps extends RepositoryLocation {
  /** What Argo CD logs in with. */
  readonly credential: RepositoryCredential;
}

const repositoryCredentialsSchema = object<RepositoryCredentialsProps>({
  ...repositoryLocationEntries,
  credential: repositoryCredentialSchema,
});

/**
 * A credential for every repository whose URL begins with `url` and that brings none of its own; the longest
 * match counts. A Secret with the label `argocd.argoproj.io/secret-type: repo-creds`, with the fields `url`,
 * `type` and those of the credential.
 *
 * It always holds a secret: a token of a Pulumi secret, which only a Pulumi program can put in, or a value of a secret store
 * (see `Repository`). For a GitHub App with several installations see `GitHubApp`.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#repository-credentials
 *
 * @example
 * new argocd.RepositoryCredentials(chart, 'github', {
 *   name: 'github',
 *   url: 'https://github.com/example',
 *   credential: {
 *     githubAppID: 123456,
 *     githubAppInstallationID: 12345678,
 *     githubAppPrivateKey: bridge.outputToken(chart, config.requireSecret('githubAppPrivateKey')),
 *   },
 * });
 */
export class RepositoryCredentials extends Construct {
  /** The Secret. */
  public readonly apiObject: ApiObject;

  /** @throws InvalidInput where a field is missing or wrong, or a secret field holds plain text */
  public constructor(scope: Construct, id: string, props: RepositoryCredentialsProps) {
    refuseProps(
      constructSubject('RepositoryCredentials', id, props),
      repositoryCredentialsSchema,
      props,
      repositoryProblems,
    );
    super(scope, id);
    this.apiObject = repositoryObject(this, 'repo-creds', props, {
      ...locationData(props),
      ...credentialData(props.credential),
    });
    forbidPlainTextKeys(this);
  }
}
