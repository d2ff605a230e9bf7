import { parseDuration } from '../../../core/durations';
import { whyNotRead } from '../../../core/secret-source';
import type { SecretSource } from '../../../core/secret-source';
import { across, either, object, optional } from '../../../core/validation/collections';
import type { Objections } from '../../../core/validation/collections';
import { isPlainObject, Problems } from '../../../core/validation/problems';
import type { Problem } from '../../../core/validation/problems';
import { evaluating } from '../../../core/validation/schema';
import type { Schema, Unevaluated } from '../../../core/validation/schema';
import { holdsLogin, namesSecret } from '../../../core/validation/secrets';
import { number, oneOf, text, that, whole } from '../../../core/validation/values';
import { SourceError } from '../../engine';
import type { Check, CheckStage, ShiftSubject, SlotPreview } from '../../engine';
import { slotsToEvaluate } from '../../evaluation';
import { previewAddress, requestHeaders, resolvePreview } from '../../probes';
import type { ResolvedPreview, SendProbe } from '../../probes';
import type { CheckContext } from '../check-context';
import { checkArgs, checkKind } from '../check-kind';
import type { CommonCheckArgs } from '../check-kind';
import { keepsSecrets } from '../shared/metric-request';
import { line, listOf, mapOf, notEmpty, timeSpan } from '../shared/schemas';
import { readSecret } from '../shared/secret-source';
import { unknownSlots } from '../shared/slot-servers';
import { readStatus } from './expectation';
import type { JsonExpectation, JsonScalar } from './expectation';
import { sendRequests } from './send-requests';
import type { SentRequests } from './send-requests';
import { combinedVerdict, evaluateAnswers } from './verdict';
import type { HttpBounds, HttpVerdict } from './verdict';

/** What {@link http} takes. Durations are text as Go reads it: `500ms`, `5s`. */
export interface HttpArgs extends CommonCheckArgs {
  /** Paths, each perhaps with a query; each has the bounds for itself. */
  readonly paths: readonly string[];
  /** Method of the requests. @default 'GET' */
  readonly method?: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Headers by name. A value is a text, or where a secret is read from: then the slots' addresses begin with `https://`, but for
   * this machine. A header that leads to a slot wins over one of that name, and cookies go together.
   *
   * @default - those of the slot's preview alone
   */
  readonly headers?: Readonly<Record<string, string | SecretSource>>;
  /** Text that is sent. @default - none */
  readonly body?: string;
  /** Expected statuses: `[200, '300-399']`. @default ['200-299'] */
  readonly status?: readonly (number | string)[];
  /** Text that the body contains. @default - any body */
  readonly text?: string;
  /** A value of the body, which is JSON. @default - any body */
  readonly json?: JsonExpectation;
  /** Requests to each path, at most 100. @default 3 */
  readonly count?: number;
  /** From the beginning of one to that of the next. @default '1s' */
  readonly every?: string;
  /** For one request, with its redirects; together with the others at most `50s`. @default '5s' */
  readonly timeout?: string;
  /** Share of a path's requests that may fail. @default 0 - a slot without users fails none */
  readonly maxFailed?: number;
  /** Answers that take longer are slow. @default - none is */
  readonly slowAbove?: string;
  /** Share of a path's requests that may be slow: 0.05 bounds the 95th percentile. @default 0.05 */
  readonly maxSlow?: number;
  /** Redirects that are followed within the same origin; another origin is never asked. @default 0 */
  readonly redirects?: number;
  /** Addresses of slots that have no preview, or are asked past it. @default - previews */
  readonly urls?: Readonly<Record<string, string>>;
  /** File with the certificates, in PEM, of the authorities to trust. @default - those that Node.js trusts */
  readonly caFile?: string;
  /**
   * When it runs: before the weights of a step are written, while they are live, or both.
   *
   * @default ['before', 'after'] - a bad slot gets no user, and one that breaks under load is found
   */
  readonly stages?: readonly CheckStage[];
}

const defaults = { count: 3, every: '1s', timeout: '5s' } as const;

/** A check may take a minute, of which some is for names and files. */
const longestMs = 50_000;

const path = text(
  'a path that begins with "/", perhaps with a query, in visible ASCII characters',
  /^\/[!"$-~]*$/,
  2_048,
);

const statusAllowed = 'a status such as 200, or a range such as "200-299"';

const status: Schema<number | string> = either<number | string>(
  statusAllowed,
  { when: (value) => typeof value === 'number', schema: whole(100, 599) },
  {
    when: () => true,
    schema: that(
      text(statusAllowed, /^[1-5]\d\d(-[1-5]\d\d)?$/),
      statusAllowed,
      (value) => readStatus(value) !== undefined,
    ),
  },
);

const scalarAllowed = 'a text, a number, true, false or null';

const scalar: Schema<JsonScalar> = evaluating(
  scalarAllowed,
  (value, addIssue) => {
    if (value !== null && !['string', 'number', 'boolean'].includes(typeof value)) {
      addIssue({ message: scalarAllowed, input: value });
    }
  },
  () => ({ type: ['string', 'number', 'boolean', 'null'] }),
);

/**
 * Sends requests to each slot that gains weight, past the weights by its preview or at an address of its own, and holds the
 * answers against what is expected. Certificates are always verified; proxies are those of the environment.
 *
 * A refused connection, a time-out, an answer that is too long (1 MiB) and an unexpected one count against the slot. A name that
 * can't be looked up and a proxy that refuses say nothing of it, and are inconclusive.
 */
export const http = checkKind('http', {
  asks: 'Requests to each slot alone: are the answers as expected?',
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: across(
    checkArgs<HttpArgs>({
      paths: listOf(path),
      method: optional(oneOf('GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE')),
      headers: optional(requestHeaders),
      body: optional(text('a text')),
      status: optional(listOf(status)),
      text: optional(notEmpty),
      json: optional(
        object<JsonExpectation>({
          pointer: text(
            'a JSON Pointer, such as /status; empty for the whole',
            /^(\/([^~]|~[01])*)?$/,
            1_000,
          ),
          equals: scalar,
        }),
      ),
      count: optional(whole(1, 100)),
      every: optional(timeSpan),
      timeout: optional(timeSpan),
      maxFailed: optional(number('a share from 0 to below 1', { min: 0, below: 1 })),
      slowAbove: optional(timeSpan),
      maxSlow: optional(number('a share from 0 to below 1', { min: 0, below: 1 })),
      redirects: optional(whole(0, 10)),
      urls: optional(mapOf(previewAddress)),
      caFile: optional(line),
      stages: optional(listOf(oneOf('before', 'after'))),
    }),
    (args, objections) => checkTogether(args, objections),
  ),
  problems: (args, subject) => [
    ...unknownSlots({ urls: args.urls }, subject),
    ...secrecyProblems(args, subject),
  ],
  create: (name, settings, context): Check => {
    const ways = waysOf(settings, context.subject);
    return {
      name,
      stages: settings.stages ?? ['before', 'after'],
      evaluate: async (window, signal) => {
        const certificateAuthority = await readAuthority(settings.caFile, context);
        const verdictOf = async (slot: string): Promise<HttpVerdict> => {
          const way = await wayTo(ways.to(slot), settings.headers, context);
          const sent = { ...sentOf(settings), certificateAuthority };
          const sender = ways.isPastBalancer(slot)
            ? context
            : { ...context, sendProbe: noting(slot, context) };
          return evaluateAnswers(slot, await sendRequests(way, sent, sender, signal), boundsOf(settings));
        };
        const verdicts = await Promise.all(
          slotsToEvaluate(window).map((slot) =>
            verdictOf(slot).catch((error: unknown) => unsent(slot, error)),
          ),
        );
        return combinedVerdict(verdicts);
      },
    };
  },
});

/** A slot that could not be asked, for want of a secret say, hides no failure of another one. */
function unsent(slot: string, error: unknown): Pick<HttpVerdict, 'source'> {
  if (!(error instanceof SourceError)) {
    throw error;
  }
  return { source: `${slot}: ${error.message}` };
}

function sentOf(settings: HttpArgs): SentRequests {
  const { method = 'GET', paths, body, redirects = 0 } = settings;
  const { count = defaults.count, every = defaults.every, timeout = defaults.timeout } = settings;
  const [everyMs, timeoutMs] = [parseDuration(every)!, parseDuration(timeout)!];
  return { method, paths, body, count, everyMs, timeoutMs, redirects };
}

function boundsOf(settings: HttpArgs): HttpBounds {
  const { status: statuses = ['200-299'], slowAbove, maxFailed = 0, maxSlow = 0.05 } = settings;
  return {
    statuses: statuses.flatMap((each) => {
      const range = readStatus(each);
      return range === undefined ? [] : [range];
    }),
    text: settings.text,
    json: settings.json,
    maxFailed,
    ...(slowAbove !== undefined && { slowAboveMs: parseDuration(slowAbove)! }),
    maxSlow,
  };
}

/** Objects to what can't be together. */
function checkTogether(args: Unevaluated<HttpArgs>, { mustBe, mustBeSecretly, conflicts }: Objections): void {
  const { method = 'GET', count = defaults.count, every = defaults.every, timeout = defaults.timeout } = args;
  if (args.body !== undefined && (method === 'GET' || method === 'HEAD')) {
    conflicts(['body'], `method: ${method} sends none`);
  }
  for (const key of ['text', 'json'] as const) {
    if (args[key] !== undefined && method === 'HEAD') {
      conflicts([key], 'method: HEAD has an answer without a body');
    }
  }
  if (args.maxSlow !== undefined && args.slowAbove === undefined) {
    mustBe(['maxSlow'], 'left out without "slowAbove"');
  }
  const [everyMs, timeoutMs] = [every, timeout].map((each) => parseDuration(String(each)) ?? 0) as [
    number,
    number,
  ];
  if ((Number(count) - 1) * everyMs + timeoutMs > longestMs) {
    mustBe(['count'], 'a number with which all requests take at most 50s, "timeout" included', count);
  }
  const paths: readonly unknown[] = Array.isArray(args.paths) ? args.paths : [];
  paths.forEach((each, index) => {
    if (typeof each === 'string' && holdsLogin(`https://x${each}`)) {
      mustBeSecretly(
        ['paths', index],
        'a path without a secret in its query: it would be in logs of servers',
      );
    }
  });
  for (const [name, value] of Object.entries(isPlainObject(args.headers) ? args.headers : {})) {
    // A cookie may be the name of a variant.
    if (typeof value === 'string' && namesSecret(name) && !/^cookie$/i.test(name)) {
      mustBeSecretly(['headers', name], 'where it is read from, { env: "NAME" } or { file: "/path" }');
    }
  }
}

/** Secrets that would go over the network in the clear. */
function secrecyProblems(
  { headers, urls }: Unevaluated<HttpArgs>,
  { slots }: ShiftSubject,
): readonly Problem[] {
  const given = isPlainObject(urls) ? urls : {};
  const isOpen = Object.entries(slots).some(([slot, { preview }]) => {
    const url = Object.hasOwn(given, slot) ? given[slot] : preview?.url;
    return typeof url === 'string' && URL.canParse(url) && !keepsSecrets(url);
  });
  return Object.entries(isPlainObject(headers) ? headers : {})
    .filter(([, value]) => isOpen && isPlainObject(value))
    .map(([name]) => ({
      path: `headers.${name}`,
      allowed: 'left out, or every slot has an address that starts with https://: it is a secret',
    }));
}

/** What leads to each slot. */
interface Ways {
  to(this: void, slot: string): SlotPreview;
  /** Whether that is an address of the slot's own, and not a rule of the load balancer. */
  isPastBalancer(this: void, slot: string): boolean;
}

/**
 * What leads to each slot.
 *
 * @throws InvalidInput where that is not known
 */
function waysOf({ urls = {} }: HttpArgs, { slots }: ShiftSubject): Ways {
  const problems = new Problems('what is shifted');
  const ways = new Map<string, SlotPreview>();
  for (const [slot, { preview }] of Object.entries(slots)) {
    const url = Object.hasOwn(urls, slot) ? urls[slot] : undefined;
    const way = url === undefined ? preview : { url };
    if (way === undefined) {
      problems.add(
        `slots.${slot}.preview`,
        undefined,
        `what leads to ${slot} alone (slots.${slot}.preview); or "urls" of the check has its address`,
      );
    } else {
      ways.set(slot, way);
    }
  }
  problems.throwIfAny();
  return { to: (slot) => ways.get(slot)!, isPastBalancer: (slot) => Object.hasOwn(urls, slot) };
}

/** A request by a preview is one that the load balancer counts: other checks take it out of what visitors sent. */
function noting(slot: string, { sendProbe, clock, ownRequests }: CheckContext): SendProbe {
  return async (probe, signal) => {
    const result = await sendProbe(probe, signal);
    if (!('failure' in result && result.ours === true)) {
      const failed = 'failure' in result || result.status >= 500;
      ownRequests.note({ slot, at: clock.now(), failed, slow: false });
    }
    return result;
  };
}

/** What a header's value can't have. @see https://www.rfc-editor.org/rfc/rfc9110#section-5.5 */
const sendable = /^[\t\x20-\x7e\x80-\xff]+$/;

/** @throws SourceError where the value of a header can't be read or sent; it names the variable or file, never the value */
async function wayTo(
  preview: SlotPreview,
  headers: HttpArgs['headers'] = {},
  context: CheckContext,
): Promise<ResolvedPreview> {
  const way = await resolvePreview(preview, { env: context.env, readFile: context.readFile });
  const leading = new Map(Object.entries(way.headers).map(([name, value]) => [name.toLowerCase(), value]));
  const own: Record<string, string> = {};
  for (const [name, source] of Object.entries(headers)) {
    const value =
      typeof source === 'string' ? source : await readSecret(context, `the header ${name}`, [source]);
    if (!sendable.test(value)) {
      throw new SourceError(`the header ${name}: its value has a character that no header may have`);
    }
    const lower = name.toLowerCase();
    const other = leading.get(lower);
    if (other === undefined || lower === 'cookie') {
      own[lower] = other === undefined ? value : `${other}; ${value}`;
    }
  }
  return { url: way.url, headers: { ...Object.fromEntries(leading), ...own } };
}

async function readAuthority(
  path: string | undefined,
  { readFile }: CheckContext,
): Promise<string | undefined> {
  try {
    return path === undefined ? undefined : await readFile(path);
  } catch (error) {
    throw new SourceError(`the file ${path} can't be read${whyNotRead(error)}`, { cause: error });
  }
}
