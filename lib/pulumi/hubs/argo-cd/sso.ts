import { plainData } from '../../../core/validation/arguments';
import { across, list, object, oneKeyOf, optional, record } from '../../../core/validation/collections';
import { dnsLabel, dnsSubdomain, nonEmptyText } from '../../../core/validation/formats';
import { problemsOf } from '../../../core/validation/schema';
import type { PathSteps, Schema } from '../../../core/validation/schema';
import { namesSecret } from '../../../core/validation/secrets';
import { flag, following, secret, text } from '../../../core/validation/values';
import type { JsonValue, ArgoCdSecretKey } from '../../../manifests/argocd';
import { listOfSecrets, plainList } from '../../input-schemas';

/** How people log in: at an OpenID Connect provider, or through Dex. Exactly one. */
export interface ArgoCdSso {
  /** An OpenID Connect provider. @default - by `dex` */
  readonly oidc?: OidcLogin;
  /** Dex, for providers that do not speak OpenID Connect, or whose groups Dex has to ask for. @default - by `oidc` */
  readonly dex?: DexLogin;
}

/**
 * An OpenID Connect provider. Its callback is `https://DOMAIN/auth/callback`.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/#existing-oidc-provider
 */
export interface OidcLogin {
  /** Name that the login page shows. */
  readonly name: string;
  /** URL of the provider. */
  readonly issuer: string;
  /** Argo CD's client. */
  readonly clientID: string;
  /**
   * Where the client's secret is: a Secret of Argo CD's namespace with the label `app.kubernetes.io/part-of: argocd`.
   * @default - none: the client is public, with `enablePKCEAuthentication`
   */
  readonly clientSecret?: ArgoCdSecretKey;
  /** The command line's client. @default - the same as the server's */
  readonly cliClientID?: string;
  /** Scopes that are asked for. @default ['openid', 'profile', 'email', 'groups'] - Argo CD's default */
  readonly requestedScopes?: readonly string[];
  /** Claims that are asked for in the ID token. @default - none */
  readonly requestedIDTokenClaims?: Readonly<
    Record<
      string,
      {
        /** Whether the login can't do without the claim. */
        readonly essential?: boolean;
      }
    >
  >;
  /** Whether the login is protected by PKCE. @default false - Argo CD's default */
  readonly enablePKCEAuthentication?: boolean;
}

/** Dex. The callback of a provider is `https://DOMAIN/api/dex/callback`. */
export interface DexLogin {
  /** The providers that Dex asks. */
  readonly connectors: readonly DexConnector[];
}

/**
 * A provider that Dex asks.
 * @see https://dexidp.io/docs/connectors/
 */
export interface DexConnector {
  /** Dex's word for the kind of provider, `github`, `saml`, `ldap`. */
  readonly type: string;
  /** Identifier, which users' names are made with. */
  readonly id: string;
  /** Name that the login page shows. */
  readonly name: string;
  /** Options as Dex's page about the connector has them; what is secret is given by where it is. */
  readonly config: { readonly [option: string]: DexValue };
}

/** A value of a connector's options. */
export type DexValue =
  | JsonValue
  | ArgoCdSecretKey
  | readonly DexValue[]
  | { readonly [option: string]: DexValue };

/** Where a secret is. Anything else may be the secret itself, so it is not shown. */
const secretReference: Schema<ArgoCdSecretKey> = secret(
  object<ArgoCdSecretKey>(
    {
      secretName: following(dnsSubdomain),
      key: text('letters, digits, "-", "_" and "."', /^[-._a-zA-Z0-9]+$/),
    },
    'an object with "secretName" and "key", which say where the value is, and no more: no plain text',
  ),
);

const oidcLogin: Schema<OidcLogin> = across(
  object<OidcLogin>({
    name: following(nonEmptyText),
    issuer: text(
      'a URL that starts with "https://", without user information',
      /^https:\/\/[^\s/@?#]+(\/[^\s]*)?$/,
    ),
    clientID: following(nonEmptyText),
    clientSecret: optional(secretReference),
    cliClientID: optional(text('the id of a client')),
    requestedScopes: optional(plainList(text('a scope'))),
    requestedIDTokenClaims: optional(
      record(object<{ readonly essential?: boolean }>({ essential: optional(flag) })),
    ),
    enablePKCEAuthentication: optional(flag),
  }),
  ({ clientSecret, enablePKCEAuthentication }, { mustBe }) => {
    if (clientSecret === undefined && enablePKCEAuthentication !== true) {
      mustBe(['clientSecret'], 'given, or "enablePKCEAuthentication" on: the client has no secret');
    }
  },
);

const connectorOptions: Schema<DexConnector['config']> = across<DexConnector['config']>(
  secret<DexConnector['config']>(plainData("an object with the connector's options")),
  (options, { mustBeSecretly }) => {
    for (const steps of plainSecrets(options)) {
      mustBeSecretly(steps, secretReference.allowed);
    }
  },
);

/** Places of what is secret by its name and is there itself, in the place of where it is. */
function plainSecrets(
  options: unknown,
  at: PathSteps = [],
  around: readonly unknown[] = [],
): readonly PathSteps[] {
  if (typeof options !== 'object' || options === null || isReference(options) || around.includes(options)) {
    return [];
  }
  const within = [...around, options];
  return Object.entries(options).flatMap(([name, value]) => {
    const steps = [...at, Array.isArray(options) ? Number(name) : name];
    if (!namesSecret(name) || typeof value === 'boolean') {
      return plainSecrets(value, steps, within);
    }
    return problemsOf(secretReference, value).length > 0 ? [steps] : [];
  });
}

/** How people log in. */
export const argoCdSso: Schema<ArgoCdSso> = oneKeyOf<Required<ArgoCdSso>>({
  oidc: oidcLogin,
  dex: object<DexLogin>({
    connectors: listOfSecrets(
      list(
        object<DexConnector>({
          type: following(dnsLabel),
          id: following(nonEmptyText),
          name: following(nonEmptyText),
          config: connectorOptions,
        }),
        1,
        'a list with at least one connector',
      ),
    ),
  }),
});

function isReference(value: unknown): value is ArgoCdSecretKey {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).sort().join() === 'key,secretName' &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}

/**
 * A login as it stands in Argo CD's ConfigMap: JSON, which is YAML, with `$SECRET:KEY` for what is secret.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/user-management/#sensitive-data-and-sso-client-secrets
 */
export function ssoConfig({ oidc, dex }: ArgoCdSso): Record<string, string> {
  const write = (value: unknown) => JSON.stringify(withReferences(value), undefined, 2);
  return {
    ...(oidc ? { 'oidc.config': write(oidc) } : {}),
    ...(dex ? { 'dex.config': write(dex) } : {}),
  };
}

function withReferences(value: unknown): unknown {
  if (isReference(value)) {
    return `$${value.secretName}:${value.key}`;
  }
  if (Array.isArray(value)) {
    return value.map(withReferences);
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, below]) => [key, withReferences(below)]))
    : value;
}
