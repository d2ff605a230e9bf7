/** What happens to calls in place of an ordinary answer. */
export type AwsFault =
  /** The answer comes later, by so many milliseconds. */
  | { readonly latency: number }
  /** AWS asks to slow down. */
  | 'throttling'
  /** The role may not do this. */
  | 'accessDenied'
  /** EKS knows nothing of that name in this account and region. */
  | 'notFound'
  /** AWS fails by itself: an HTTP status from 500 to 599. */
  | { readonly status: number }
  /** A proxy on the way answers with a page of its own, with this HTTP status; the call never arrives. */
  | { readonly page: number }
  /** The call never arrives, and nobody answers. */
  | 'timeout'
  /** The call arrives and has its effect, but the connection breaks before the answer. */
  | 'answerLost';

/** How a service says that something is wrong. */
export type AwsProtocol = 'query' | 'ec2' | 'json';

/** An HTTP answer. */
export interface FaultAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The answer that stands for a fault, in the words of the service's own protocol. */
export function faultAnswer(
  fault: 'throttling' | 'accessDenied' | 'notFound' | { readonly status: number } | { readonly page: number },
  protocol: AwsProtocol,
  action: string,
): FaultAnswer {
  if (fault === 'throttling') {
    const code = { query: 'Throttling', ec2: 'RequestLimitExceeded', json: 'ThrottlingException' }[protocol];
    return answer(protocol === 'ec2' ? 503 : 400, code, 'Rate exceeded', protocol);
  }
  if (fault === 'accessDenied') {
    const code = { query: 'AccessDenied', ec2: 'UnauthorizedOperation', json: 'AccessDeniedException' };
    return answer(403, code[protocol], `not authorized to perform: ${action}`, protocol);
  }
  if (fault === 'notFound') {
    return answer(404, 'ResourceNotFoundException', 'No cluster found', protocol);
  }
  if ('page' in fault) {
    // Well-formed, so that it is XML to the SDK.
    const body = '<html><head><title>Gateway</title></head><body><h1>Gateway</h1></body></html>';
    return { status: fault.page, headers: { 'content-type': 'text/html' }, body };
  }
  const code = fault.status === 503 ? 'ServiceUnavailable' : 'InternalFailure';
  return answer(fault.status, code, 'the service failed', protocol);
}

function answer(status: number, code: string, message: string, protocol: AwsProtocol): FaultAnswer {
  if (protocol === 'json') {
    return {
      status,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-errortype': code },
      body: JSON.stringify({ __type: code, message }),
    };
  }
  const error = `<Code>${code}</Code><Message>${message}</Message>`;
  const body =
    protocol === 'ec2'
      ? `<Response><Errors><Error>${error}</Error></Errors><RequestID>fault</RequestID></Response>`
      : `<ErrorResponse><Error><Type>${status < 500 ? 'Sender' : 'Receiver'}</Type>${error}</Error><RequestId>fault</RequestId></ErrorResponse>`;
  return { status, headers: { 'content-type': 'text/xml' }, body };
}
