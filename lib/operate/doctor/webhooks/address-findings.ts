import type { HandshakeFailure } from '../../../core/tls';
import type { DoctorFinding } from '../check';
import { isOutOfReach, placeInWords } from './observe';
import type { SeenPlace, ObservedServer } from './observe';
import { callerInWords, consequenceOf } from './server';

/** What is wrong with the way to a server: no Service, no port, no endpoints, and what does not answer as it should. */
export function addressFindings(seen: ObservedServer): DoctorFinding[] {
  const { server, places } = seen;
  const { severity, lines } = consequenceOf(server.callers);
  const { at } = server;
  const found = (
    finding: Pick<DoctorFinding, 'cause' | 'message' | 'next'> & Partial<DoctorFinding>,
  ): DoctorFinding => ({
    severity,
    likelihood: 'certain',
    subject: at.by === 'service' ? `Service ${at.namespace}/${at.name}` : server.name,
    ...finding,
    evidence: [...(finding.evidence ?? []), ...lines],
  });
  if (seen.is === 'noService') {
    return [
      found({
        cause: 'no-service',
        message: `${server.name} is called, and there is no such Service`,
        evidence: [`called by ${callerInWords(server.callers[0])}`],
        next: 'bring the Service back, or delete what calls it if the software is gone',
      }),
    ];
  }
  if (seen.is === 'noPort' && at.by === 'service') {
    const ports = seen.ports?.join(', ') ?? '';
    return [
      found({
        cause: 'wrong-port',
        message: `port ${at.port} is called, and the Service has ${ports === '' ? 'none' : ports}`,
        next: 'set clientConfig.service.port to a port of the Service, or give the Service that port',
      }),
    ];
  }
  if (seen.is === 'known' && at.by === 'service' && !places.some(({ isReady }) => isReady)) {
    return [found(noEndpoints(seen))];
  }
  return unanswered(seen).map(found);
}

function noEndpoints({
  places,
}: ObservedServer): Pick<DoctorFinding, 'cause' | 'message' | 'evidence' | 'next'> {
  const count = places.length;
  return count === 0
    ? {
        cause: 'no-endpoints',
        message: 'no pod is behind the Service: API servers have no server to call',
        evidence: ['its EndpointSlices hold no address for the port'],
        next: "compare the Service's selector with the pods' labels, and check the replicas and events of what creates the pods",
      }
    : {
        cause: 'no-endpoints',
        message: `no pod behind the Service is ready (${count} ${count === 1 ? 'is' : 'are'} not): API servers have no server to call`,
        evidence: places.slice(0, 5).map((each) => `${placeInWords(each)}: not ready`),
        next: "check the pods' readiness probes, logs and events",
      };
}

type Failed = SeenPlace & { readonly handshake: HandshakeFailure };

const words: Readonly<
  Record<HandshakeFailure['outcome'], Pick<DoctorFinding, 'cause' | 'message' | 'next' | 'likelihood'>>
> = {
  refused: {
    cause: 'port-closed',
    message: 'nothing listens on the port that the Service sends calls to',
    next: "compare the Service's targetPort with the port that the program listens on",
    likelihood: 'likely',
  },
  notTls: {
    cause: 'no-tls',
    message: 'the server does not speak TLS on the port that is called',
    next: "compare the Service's targetPort with the server's TLS port: it may be that of metrics or health",
    likelihood: 'certain',
  },
  cut: {
    cause: 'no-tls',
    message: 'the server hangs up during the TLS handshake',
    next: "read the server's log: it may have no certificate, or speak no TLS",
    likelihood: 'likely',
  },
  tls: {
    cause: 'no-tls',
    message: 'the server refuses the TLS handshake',
    next: "read the server's log, and check the TLS versions and ciphers that it allows",
    likelihood: 'likely',
  },
  silent: {
    cause: 'server-silent',
    message: 'the server does not answer',
    next: 'check network policies and security groups on the way to its port, and the pod itself',
    likelihood: 'likely',
  },
  unknownHost: {
    cause: 'unknown-host',
    message: 'the name of the server is not known',
    next: 'check the name, and whether API servers use the same DNS',
    likelihood: 'likely',
  },
};

/** Places that don't answer. Where none can be reached from here, that is no fault of theirs. */
function unanswered(
  seen: ObservedServer,
): (Pick<DoctorFinding, 'cause' | 'message' | 'next'> & Partial<DoctorFinding>)[] {
  const { server, places } = seen;
  if (server.at.by === 'url' && server.at.isLocal) {
    return [];
  }
  const beyond = isOutOfReach(seen);
  const answers = places.some(({ handshake }) => handshake?.outcome === 'served');
  const byOutcome = new Map<HandshakeFailure['outcome'], Failed[]>();
  for (const place of places) {
    const { handshake } = place;
    const isQuiet = handshake?.outcome === 'silent' || handshake?.outcome === 'unknownHost';
    if (handshake && handshake.outcome !== 'served' && place.isReady && !(beyond && isQuiet)) {
      byOutcome.set(handshake.outcome, [
        ...(byOutcome.get(handshake.outcome) ?? []),
        { ...place, handshake },
      ]);
    }
  }
  return [...byOutcome].map(([outcome, failed]) => {
    const some = failed.length < places.length ? ` (${failed.length} of ${places.length} places)` : '';
    return {
      ...words[outcome],
      // Where others of its kind answer, it is not the way from here that is at fault.
      ...(answers ? { likelihood: 'certain' as const } : {}),
      message: `${words[outcome].message}${some}`,
      evidence: failed
        .slice(0, 5)
        .map((each) => `${placeInWords(each)}: ${each.handshake.detail}, requested from this machine`),
    };
  });
}
