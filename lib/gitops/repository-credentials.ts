import type { ApiObject } from 'cdk8s';
import { Construct } from 'constructs';
import type { OptionsOf } from '../problems';
import { Problems, refuseOptions } from '../problems';
import { FieldChecks } from './field-checks';
import { refusePlainKeys } from './plain-keys';
import type { RepositoryLocation } from './repository';
import { checkRepositoryLocation, locationData, repositoryLocationKeys } from './repository';
import type { RepositoryCredential } from './repository-credential';
import { checkCredential, credentialData, repositoryCredentialKeys } from './repository-credential';
import { repositoryObject } from './repository-object';

/** One credential for many repositories; `url` is how their URLs begin. */
export interface RepositoryCredentialsProps extends RepositoryLocation {
  /** What Argo CD logs in with. */
  readonly credential: RepositoryCredential;
}

const repositoryCredentialsPropsKeys: OptionsOf<RepositoryCredentialsProps> = {
  ...repositoryLocationKeys,
  credential: repositoryCredentialKeys,
};

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
 * new gitops.RepositoryCredentials(chart, 'github', {
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
    refuseOptions(`RepositoryCredentials "${id}"`, props, repositoryCredentialsPropsKeys);
    super(scope, id);
    const problems = new Problems(`RepositoryCredentials "${props.name}"`);
    const checks = new FieldChecks(problems);
    checkRepositoryLocation(checks, props);
    checkCredential(checks, props.credential ?? {}, props.type ?? 'git', props.url);
    problems.throwIfAny();
    this.apiObject = repositoryObject(this, 'repo-creds', props, {
      ...locationData(props),
      ...credentialData(props.credential),
    });
    refusePlainKeys(this);
  }
}
