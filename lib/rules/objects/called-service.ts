import type { Field } from '../field';

/** A Service that the API server calls. */
export interface CalledService {
  /** Namespace of the Service. */
  readonly namespace: string;
  /** Name of the Service. */
  readonly name: string;
  /** Port of the Service. @default 443 */
  readonly port: number;
  /** Path of the URL, as it is written. @default - not said */
  readonly path?: string;
  /** Where it is said. */
  readonly field: Field;
}

/**
 * The Service of a `clientConfig`, or of an APIService's `spec`.
 *
 * @returns nothing where there is none, or where it has no name or no namespace
 */
export function calledService(config: Field): CalledService | undefined {
  const field = config.get('service');
  const [namespace, name, path] = ['namespace', 'name', 'path'].map((key) => field.get(key).text);
  return namespace === undefined || name === undefined
    ? undefined
    : {
        namespace,
        name,
        port: field.get('port').number ?? 443,
        ...(path === undefined ? {} : { path }),
        field,
      };
}
