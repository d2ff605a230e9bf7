import { ApiObject } from 'cdk8s';
import type { Construct } from 'constructs';
import type { ArgoObjectProps } from './argo-object';
import { argoSecret, secretMetadata } from './argo-object';
import type { ExternalValue } from './external-value';
import { isExternal, remoteReference, storeOf } from './external-value';

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
export function repositoryObject(
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
