import { across, object, optional } from '../../core/validation/collections';
import { below, isAddress, secrecyProblem, secretHeaders, sendTo, serviceAddress } from './service';
import type { SecretHeaders } from './service';
import { DeliveryFailed, everyEvent, sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings, Sink, SinkContext } from './sink';
import { ShiftTracer } from './tracer';

/** Traces by OTLP over HTTP, in JSON. */
export interface OpenTelemetrySettings extends CommonSinkSettings {
  /**
   * Address of the collector, to which `/v1/traces` is added: `http://collector.monitoring.svc:4318`.
   *
   * @default - as `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT` or `OTEL_EXPORTER_OTLP_ENDPOINT` say, or `http://localhost:4318`
   */
  readonly endpoint?: string;
  /**
   * Headers that the collector asks for, such as `authorization`. They need `https`.
   *
   * @default - as `OTEL_EXPORTER_OTLP_TRACES_HEADERS` or `OTEL_EXPORTER_OTLP_HEADERS` say
   */
  readonly headers?: SecretHeaders;
}

/**
 * A trace for each shift, with a span for each step. Answers of checks, pauses and what else happens are events of these. Spans are
 * sent when they end. A run that resumes a shift has a span of its own in the same trace.
 *
 * @see https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
export const openTelemetry = sinkKind<OpenTelemetrySettings>({
  tells: 'OpenTelemetry: a trace of each shift by OTLP over HTTP, with a span for each step',
  events: everyEvent,
  everyAnswer: true,
  settings: across(
    object<OpenTelemetrySettings>({
      endpoint: optional(serviceAddress),
      headers: optional(secretHeaders),
      ...sinkEntries,
    }),
    ({ endpoint, headers }, { mustBe }) => {
      const problem = secrecyProblem(endpoint, headers);
      if (problem) {
        mustBe(['endpoint'], problem.allowed);
      }
    },
  ),
  open: (settings, context) => traceSink(settings, context),
});

/** Other answers are final. @see https://opentelemetry.io/docs/specs/otlp/#failures-1 */
const temporary: readonly number[] = [429, 502, 503, 504];

function traceSink(
  { endpoint, headers = {} }: OpenTelemetrySettings,
  context: SinkContext,
): Pick<Sink, 'name' | 'deliver' | 'close'> {
  let tracer: ShiftTracer | undefined;
  let last: string | undefined;

  const send = async (from: ShiftTracer, signal: AbortSignal): Promise<void> => {
    const { url, given, certificateAuthority } = await target(endpoint, context);
    const { body, sent } = from.request();
    const service = { to: 'the OpenTelemetry collector', headers, given };
    const post = {
      url,
      body,
      certificateAuthority,
      isTemporary: (status: number) => temporary.includes(status),
    };
    try {
      const plain = { 'content-type': 'application/json' };
      const { text } = await sendTo(service, { ...post, headers: plain }, context, signal);
      sent();
      refuseRejected(text);
    } catch (error) {
      if (error instanceof DeliveryFailed && error.how.final === true) {
        // What the collector does not take once, it does not take later.
        sent();
      }
      throw error;
    }
  };

  return {
    name: 'openTelemetry',
    deliver: async (event, signal) => {
      tracer ??= await ShiftTracer.load(resourceOf(context.env));
      // An event whose delivery is tried again is in the trace once.
      if (event.id !== last) {
        last = event.id;
        tracer.take(event);
      }
      if (tracer.hasNews) {
        await send(tracer, signal);
      }
    },
    close: async (signal) => {
      tracer?.endAll();
      if (tracer?.hasNews === true) {
        await send(tracer, signal);
      }
    },
  };
}

/** A collector may take a request and none of its spans. */
function refuseRejected(text: string): void {
  let answer: { partialSuccess?: { rejectedSpans?: unknown; errorMessage?: unknown } | null } | null;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return;
  }
  const { rejectedSpans, errorMessage } = answer?.partialSuccess ?? {};
  if (Number(rejectedSpans) > 0) {
    const why = typeof errorMessage === 'string' && errorMessage !== '' ? `: ${errorMessage}` : '';
    throw new DeliveryFailed(
      `the OpenTelemetry collector has rejected ${Number(rejectedSpans)} spans${why}`,
      {
        final: true,
      },
    );
  }
}

/**
 * Where traces go, as the settings and OpenTelemetry's variables say.
 *
 * @see https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 * @throws DeliveryFailed for a variable that it can't use
 */
async function target(
  endpoint: string | undefined,
  { env, readFile }: Pick<SinkContext, 'env' | 'readFile'>,
): Promise<{
  readonly url: URL;
  readonly given: Readonly<Record<string, string>>;
  readonly certificateAuthority: string | undefined;
}> {
  const found = (name: string): readonly [value: string, variable: string] | undefined => {
    const variable = [`OTEL_EXPORTER_OTLP_TRACES_${name}`, `OTEL_EXPORTER_OTLP_${name}`].find((each) =>
      /\S/.test(env[each] ?? ''),
    );
    return variable === undefined ? undefined : [env[variable]!.trim(), variable];
  };
  const [authority] = found('CERTIFICATE') ?? [];
  const certificateAuthority = authority === undefined ? undefined : await readFile(authority);
  const [text] = found('HEADERS') ?? [];
  const given = pairsIn(text);
  if (endpoint !== undefined) {
    return { url: below(endpoint, 'v1/traces'), given, certificateAuthority };
  }
  const [protocol, ofProtocol] = found('PROTOCOL') ?? [];
  if (protocol === 'grpc') {
    throw new DeliveryFailed(
      `${ofProtocol} is "grpc"; set "endpoint" to an address that takes OTLP over HTTP, with port 4318 as a rule`,
      { final: true },
    );
  }
  const [address, variable] = found('ENDPOINT') ?? ['http://localhost:4318'];
  if (!isAddress(address)) {
    throw new DeliveryFailed(`${variable} must be ${serviceAddress.allowed}`, { final: true });
  }
  const isWhole = variable === 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
  return { url: isWhole ? new URL(address) : below(address, 'v1/traces'), given, certificateAuthority };
}

/** `a=1,b=%20`: pairs as headers and attributes have them in variables; what is no pair is left out. */
function pairsIn(text = ''): Readonly<Record<string, string>> {
  return Object.fromEntries(
    text.split(',').flatMap((pair) => {
      const [, key, value] = /^\s*([\w.!#$%&'*+^`|~-]{1,200})\s*=\s*(.*?)\s*$/.exec(pair) ?? [];
      try {
        return key === undefined ? [] : [[key, decodeURIComponent(value!)]];
      } catch {
        return [];
      }
    }),
  );
}

function resourceOf(env: SinkContext['env']): Readonly<Record<string, string>> {
  const { OTEL_RESOURCE_ATTRIBUTES: attributes, OTEL_SERVICE_NAME: name } = env;
  return {
    'service.name': 'cluster-canary',
    ...pairsIn(attributes),
    ...(name !== undefined && name.trim() !== '' && { 'service.name': name.trim() }),
  };
}
