import type { AwsProtocol } from './aws-proxy-faults';

/** One call as the service would have seen it. */
export interface AwsCall {
  /** When it came in, in milliseconds since 1970. */
  readonly at: number;
  /** Service by its signing name: `elasticloadbalancing`, `ec2`, `eks`. */
  readonly service: string;
  /** `ModifyRule`; for EKS and Route 53, which have no action names on the wire, `POST /clusters`. */
  readonly action: string;
  /** The body: a query's parameters by their names on the wire (`RuleArn`), or JSON. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Status of the answer; undefined while there is none. */
  status?: number;
}

/** What a request says about itself. */
export function readCall(
  method: string,
  path: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: string,
): AwsCall & { readonly protocol: AwsProtocol } {
  const scope = /Credential=[^/]+\/[^/]+\/[^/]+\/([^/]+)\//.exec(String(headers.authorization));
  const service = scope?.[1] ?? 'unknown';
  const at = Date.now();
  const target = headers['x-amz-target'];
  if (typeof target === 'string') {
    return { at, service, protocol: 'json', action: target.split('.').at(-1)!, body: parseJson(body) };
  }
  if (String(headers['content-type']).startsWith('application/x-www-form-urlencoded')) {
    const form = Object.fromEntries(new URLSearchParams(body));
    return {
      at,
      service,
      protocol: service === 'ec2' ? 'ec2' : 'query',
      action: form.Action ?? 'unknown',
      body: form,
    };
  }
  // Route 53 speaks XML over paths, and its errors are those of a query.
  const protocol = service === 'route53' ? 'query' : 'json';
  return { at, service, protocol, action: `${method} ${path.split('?')[0]}`, body: parseJson(body) };
}

function parseJson(text: string): Record<string, unknown> {
  try {
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  } catch {
    return { text };
  }
}

/** Whether a call only looks; `ListInsights` of EKS is a POST. */
export function onlyReads(action: string): boolean {
  return /^(Describe|Get|List|GET )|^POST \/clusters\/[^/]+\/insights$/.test(action);
}
