/** Path of the EventSource, and name of its event. */
export const endpoint = '/restart';
export const eventName = 'restart';

/** What an application's name looks like, in the syntax of Go's and CEL's regular expressions. */
export const applicationPattern = '[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?';

/** URL of the EventSource, as Argo Events calls its Service. */
export function restarterUrl(of: {
  readonly name: string;
  readonly namespace: string;
  readonly port: number;
  readonly tls: boolean;
}): string {
  const { name, namespace, port, tls } = of;
  return `http${tls ? 's' : ''}://${name}-eventsource-svc.${namespace}.svc:${port}${endpoint}`;
}
