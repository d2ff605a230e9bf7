import { NoWholeAnswer, httpClient } from '../../core/http';
import type { HttpAnswer, HttpClient } from '../../core/http';
import { SecretMissing, processSecrets, readSecret } from '../../core/secret-source';
import type { SecretReader } from '../../core/secret-source';
import { object } from '../../core/validation/collections';
import { RouterError, fullWeights, refuseChanged } from '../engine';
import type { Router, RouterFailure, ShiftSubject, Weights } from '../engine';
import { NotAnAnswer, proxyAccess, proxyUrl, readWeights } from '../http-proxy';
import type { ProxyAccess } from '../http-proxy';
import { withMissingTargets } from './attaching-router';
import { descriptionOf, noWholePercents, unfit, weightsOf, wholePercents } from './live-weights';
import type { LiveReading } from './live-weights';
import { machineClocks } from './look-and-write';
import type { LookClocks, MinimumWait, OpenRouter, RouterDescription, RouterKind } from './router-kind';

/** Settings of `httpProxy`. */
export interface HttpProxySettings extends ProxyAccess {}

/** No token is longer; in bytes. */
const longestToken = 16_384;

const systemSecrets = processSecrets(longestToken);

/**
 * Weights of a proxy's upstreams, which have the names of the slots: the proxy of `cluster-canary demo`, or one of your own
 * that answers `GET` and `PUT /weights`.
 *
 * A write is conditional (`If-Match`), so that one of another process in between is never overwritten.
 */
export const httpProxy: RouterKind<HttpProxySettings, never> = {
  title: 'upstreams of an HTTP proxy: that of the demo, or your own',
  settings: object<HttpProxySettings>(proxyAccess),
  layer: 'http',
  open: (access, slots, { http = httpClient(), secrets = systemSecrets, clocks = machineClocks }) =>
    new ProxyRouter(access, Object.keys(slots), { http, secrets, clocks }),
};

interface ProxyTools {
  readonly http: HttpClient;
  readonly secrets: SecretReader;
  readonly clocks: LookClocks;
}

/** What is there, and the version of it that a write names. */
interface Look {
  readonly upstreams: Readonly<Record<string, number>>;
  readonly etag: string;
}

class ProxyRouter implements OpenRouter {
  public readonly name: string;
  public readonly id: string;
  public readonly subject: ShiftSubject;

  public constructor(
    private readonly access: ProxyAccess,
    private readonly slots: readonly string[],
    private readonly tools: ProxyTools,
  ) {
    this.name = `HTTP proxy ${access.address}`;
    this.id = proxyUrl(access, '/weights').href;
    this.subject = { layer: 'http', slots: Object.fromEntries(slots.map((slot) => [slot, {}])) };
  }

  public async read(signal?: AbortSignal): Promise<Weights> {
    return weightsOf(this.name, this.reading(await this.look(signal)));
  }

  public async write(weights: Weights, signal?: AbortSignal, expected?: readonly Weights[]): Promise<void> {
    const wanted = fullWeights(this.slots, weights);
    const look = await this.look(signal);
    if (expected) {
      refuseChanged(this.name, weightsOf(this.name, this.reading(look)), expected);
    }
    const body = JSON.stringify({ weights: { ...look.upstreams, ...wanted } });
    const answer = await this.send(
      'PUT',
      { 'if-match': look.etag, 'content-type': 'application/json' },
      body,
      signal,
    );
    if (answer.status === 412) {
      throw new RouterError(
        'changed',
        `${this.name}: its weights changed between the read and the write; nothing was written`,
      );
    }
    this.refuseOthers(answer);
  }

  public async describe(signal?: AbortSignal): Promise<RouterDescription> {
    return descriptionOf(this.name, this.reading(await this.look(signal)));
  }

  public minimumWait(): Promise<MinimumWait> {
    return Promise.resolve({ milliseconds: 0, writeMilliseconds: 0, because: [] });
  }

  public withMissingTargets(wanted: Weights): Router {
    return withMissingTargets(this, wanted, this.tools.clocks);
  }

  private reading({ upstreams }: Look): LiveReading {
    const unknown = this.slots.filter((slot) => !Object.hasOwn(upstreams, slot));
    if (unknown.length > 0) {
      return unfit(
        `it has no upstream ${unknown.join(', ')}; its upstreams are ${Object.keys(upstreams).join(', ')}`,
      );
    }
    const others = Object.keys(upstreams).filter(
      (name) => !this.slots.includes(name) && upstreams[name]! > 0,
    );
    if (others.length > 0) {
      return unfit(`its upstream ${others.join(', ')} has weight and is no slot; set its weight to 0 first`);
    }
    const raw = Object.fromEntries(this.slots.map((slot) => [slot, upstreams[slot]!]));
    const weights = wholePercents(raw);
    return weights
      ? { weights, missing: [], notes: [] }
      : unfit(noWholePercents(raw, 'every weight is 0'), raw);
  }

  private async look(signal?: AbortSignal): Promise<Look> {
    const answer = await this.send('GET', {}, undefined, signal);
    this.refuseOthers(answer);
    const { etag } = answer.headers;
    if (etag === undefined || !etag.startsWith('"')) {
      throw this.failed('unfit', 'its answer has no strong ETag, which a write is made conditional with');
    }
    try {
      return { upstreams: readWeights(answer.text), etag };
    } catch (error) {
      throw error instanceof NotAnAnswer ? this.failed('unfit', error.message, error) : error;
    }
  }

  /** One request; it is not tried again, since a shift does that. */
  private async send(
    method: 'GET' | 'PUT',
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
    signal?: AbortSignal,
  ): Promise<HttpAnswer> {
    const { http, secrets } = this.tools;
    const { token: source } = this.access;
    try {
      const token = source && (await readSecret(secrets, 'the token of the proxy', [source]));
      return await http.send(
        {
          method,
          url: proxyUrl(this.access, '/weights'),
          headers: {
            accept: 'application/json',
            ...headers,
            ...(token !== undefined && { authorization: `Bearer ${token}` }),
          },
          ...(body !== undefined && { body }),
        },
        signal,
      );
    } catch (error) {
      if (error instanceof SecretMissing) {
        throw this.failed('denied', error.message, error);
      }
      const { code } = error as { readonly code?: unknown };
      const why = typeof code === 'string' ? `no answer (${code})` : 'no answer';
      throw this.failed('unreachable', error instanceof NoWholeAnswer ? error.message : why, error);
    }
  }

  private refuseOthers({ status, text }: HttpAnswer): void {
    if (status === 200) {
      return;
    }
    const said = saidIn(text);
    throw this.failed(failureOf(status), `it answers ${status}${said === undefined ? '' : ` (${said})`}`);
  }

  private failed(failure: RouterFailure, why: string, cause?: unknown): RouterError {
    return new RouterError(failure, `${this.name}: ${why}`, undefined, { cause });
  }
}

const failures: Readonly<Record<number, RouterFailure>> = {
  401: 'denied',
  403: 'denied',
  404: 'notFound',
  408: 'unreachable',
  429: 'throttled',
};

function failureOf(status: number): RouterFailure {
  return failures[status] ?? (status >= 500 ? 'unreachable' : 'unfit');
}

/** What a proxy says is wrong is shown in part: `{ "error": "…" }`. */
function saidIn(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    return typeof error === 'string' ? error.slice(0, 200) : undefined;
  } catch {
    return undefined;
  }
}
