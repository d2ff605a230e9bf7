import { networkCidr } from '../../core/validation/formats';
import { either, list, object, oneKeyOf } from '../../core/validation/collections';
import type { Format } from '../../core/validation/problems';
import type { Schema } from '../../core/validation/schema';
import { following, oneOf, secret } from '../../core/validation/values';

/**
 * How the API server of a cluster is reached. There is no default: an endpoint that the program can't reach
 * would fail long after everything else was built.
 *
 * - `{ public: { cidrs } }`: from these address ranges, and from inside the VPC.
 * - `{ public: { cidrs: 'anywhere' } }`: from the whole internet. Who has no access entry is refused all the same, but may try.
 * - `{ private: { reachedFrom: 'vpc' } }`: from inside the VPC only; the program runs there (or in a peered
 *   network, or behind a VPN).
 * - `{ private: { proxyUrl } }`: from inside the VPC only; the program goes through a proxy, which is written
 *   into the kubeconfig.
 */
export type Endpoint =
  | {
      /** The API server can be reached from the internet. */
      readonly public: {
        /** Address ranges that may reach it; the whole internet (0.0.0.0/0) only by the word `anywhere`. */
        readonly cidrs: readonly string[] | 'anywhere';
      };
    }
  | {
      /** The API server is reached within the network. */
      readonly private: {
        /** The program runs there. */
        readonly reachedFrom: 'vpc';
      };
    }
  | {
      /** The API server is reached through a proxy. */
      readonly private: {
        /** URL of the proxy, without a password: it is shown in plain text. */
        readonly proxyUrl: string;
      };
    };

/** What EKS needs to know of the choice. */
export interface EndpointSettings {
  readonly publicAccessCidrs?: string[];
  readonly publicAccess: boolean;
  readonly proxyUrl?: string;
}

/** The choice in EKS's own terms. */
export function endpointSettings(endpoint: Endpoint): EndpointSettings {
  if ('public' in endpoint) {
    const { cidrs } = endpoint.public;
    return { publicAccess: true, publicAccessCidrs: cidrs === 'anywhere' ? ['0.0.0.0/0'] : [...cidrs] };
  }
  return {
    publicAccess: false,
    ...('proxyUrl' in endpoint.private ? { proxyUrl: endpoint.private.proxyUrl } : {}),
  };
}

/** The choices, for messages. */
export const endpointChoices =
  "{ public: { cidrs: ['203.0.113.0/24'] } }, { private: { reachedFrom: 'vpc' } } or { private: { proxyUrl: 'http://…' } }";

/** A network that is not all there is: that is said by a word, which nobody types by mistake. */
const partOfInternet: Format = {
  allowed: `${networkCidr.allowed}; the whole internet is cidrs: 'anywhere'`,
  accepts: (value) => networkCidr.accepts(value) && !/\/0$/.test(value as string),
};

const someNetworks = 'at least one network, such as 203.0.113.0/24, or "anywhere" for the whole internet';

const proxyUrl: Format = {
  allowed:
    'a URL that starts with http://, https:// or socks5://, without user and password, since it is written into the kubeconfig',
  accepts: (value) => typeof value === 'string' && isProxyUrl(value),
};

/** How the API server is reached. A proxy's URL, which may hold a password, can be anywhere in it. */
export const endpointSchema = oneKeyOf(
  {
    public: object({
      cidrs: either<readonly string[] | 'anywhere'>(
        someNetworks,
        { when: (value) => value === 'anywhere', schema: oneOf('anywhere') },
        { when: Array.isArray, schema: list(following(partOfInternet), 1, someNetworks) },
      ),
    }),
    private: oneKeyOf(
      { reachedFrom: secret(oneOf('vpc')), proxyUrl: secret(following(proxyUrl)) },
      endpointChoices,
    ),
  },
  endpointChoices,
) as Schema<Endpoint>;

function isProxyUrl(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:', 'socks5:'].includes(protocol) && username === '' && password === '';
}
