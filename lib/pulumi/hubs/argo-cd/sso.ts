import { dnsLabel, dnsSubdomain } from '../../../core/validation/formats';
import { listOf, mapOf } from '../../../core/validation/option-keys';
import type { OptionsOf } from '../../../core/validation/option-keys';
import { Problems } from '../../../core/validation/problems';
import type { Format } from '../../../core/validation/problems';
import { namesSecret } from '../../../core/validation/secrets';
import { secretKeyKeys } from '../../../manifests/argocd';
import type { JsonValue, ArgoCdSecretKey } from '../../../manifests/argocd';

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

const oidcLoginKeys: OptionsOf<OidcLogin> = {
  name: 'plain',
  issuer: 'plain',
  clientID: 'plain',
  clientSecret: secretKeyKeys,
  cliClientID: 'plain',
  requestedScopes: 'list',
  requestedIDTokenClaims: mapOf({ essential: 'plain' }),
  enablePKCEAuthentication: 'plain',
};

/** Dex. The callback of a provider is `https://DOMAIN/api/dex/callback`. */
export interface DexLogin {
  /** The providers that Dex asks. */
  readonly connectors: readonly DexConnector[];
}

const dexLoginKeys: OptionsOf<DexLogin> = {
  connectors: listOf({ type: 'plain', id: 'plain', name: 'plain', config: 'plain' }),
};

export const argoCdSsoKeys: OptionsOf<ArgoCdSso> = { oidc: oidcLoginKeys, dex: dexLoginKeys };

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

const https: Format = {
  allowed: 'a URL that starts with "https://", without user information',
  accepts: (value) => typeof value === 'string' && /^https:\/\/[^\s/@?#]+(\/[^\s]*)?$/.test(value),
};

const text: Format = {
  allowed: 'a text that is not empty',
  accepts: (value) => typeof value === 'string' && /\S/.test(value),
};

/** What is wrong with a login. */
export function ssoProblems(sso: ArgoCdSso): Problems['all'] {
  const problems = new Problems('sso');
  if ((sso.oidc === undefined) === (sso.dex === undefined)) {
    problems.add('oidc', undefined, 'exactly one of "oidc", "dex"');
  }
  if (sso.oidc) {
    checkOidc(problems, sso.oidc);
  }
  if (sso.dex) {
    if (sso.dex.connectors.length === 0) {
      problems.add('dex.connectors', [], 'a list with at least one connector');
    }
    sso.dex.connectors.forEach(({ type, id, name, config }, position) => {
      const at = `dex.connectors[${position}]`;
      problems.check(`${at}.type`, type, dnsLabel);
      problems.check(`${at}.id`, id, text);
      problems.check(`${at}.name`, name, text);
      checkOptions(problems, `${at}.config`, config);
    });
  }
  return problems.all;
}

function checkOidc(problems: Problems, oidc: OidcLogin): void {
  problems.check('oidc.name', oidc.name, text);
  problems.check('oidc.issuer', oidc.issuer, https);
  problems.check('oidc.clientID', oidc.clientID, text);
  if (oidc.clientSecret !== undefined) {
    checkReference(problems, 'oidc.clientSecret', oidc.clientSecret);
  } else if (oidc.enablePKCEAuthentication !== true) {
    problems.add(
      'oidc.clientSecret',
      undefined,
      'given, or "enablePKCEAuthentication" on: the client has no secret',
    );
  }
}

function checkReference(problems: Problems, path: string, reference: unknown): void {
  if (
    !isReference(reference) ||
    !dnsSubdomain.accepts(reference.secretName) ||
    !/^[-._a-zA-Z0-9]+$/.test(reference.key)
  ) {
    problems.addSecret(
      path,
      'an object with "secretName" and "key", which say where the value is, and no more: no plain text',
    );
  }
}

function checkOptions(problems: Problems, path: string, value: DexValue): void {
  if (typeof value !== 'object' || value === null || isReference(value)) {
    return;
  }
  for (const [name, below] of Object.entries(value as Readonly<Record<string, DexValue>>)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`;
    if (namesSecret(name) && typeof below !== 'boolean') {
      checkReference(problems, at, below);
    } else {
      checkOptions(problems, at, below);
    }
  }
}

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
