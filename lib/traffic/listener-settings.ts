import type * as aws from '@pulumi/aws';
import type * as pulumi from '@pulumi/pulumi';
import {
  applicationLoadBalancerArn,
  certificateArn as certificateArnRule,
  listenerArn,
  loadBalancerArn as loadBalancerArnRule,
} from '../aws';
import { checkInput } from '../bridge';
import type { OptionsOf, Problem } from '../problems';
import { oneOf, port, Problems } from '../problems';
import type { ShiftSubject } from '../shift';

/** What a listener of a fleet speaks: the first four on a Network Load Balancer, the others on an Application Load Balancer. */
export type ListenerProtocol = (typeof protocols)[number];

const ofConnections = ['TCP', 'TLS', 'UDP', 'TCP_UDP'] as const;
const ofRequests = ['HTTP', 'HTTPS'] as const;
const protocols = [...ofConnections, ...ofRequests] as const;
const encrypted: readonly ListenerProtocol[] = ['TLS', 'HTTPS'];

/** How a listener stands on its load balancer. */
export interface ListenerSettings {
  /** 1 to 65535. */
  readonly port: number;
  /** The target groups have to fit: TCP or TLS ones behind TCP and TLS. */
  readonly protocol: ListenerProtocol;
  /** ARN of the certificate, of TLS and HTTPS only. */
  readonly certificateArn?: pulumi.Input<string>;
  /**
   * Name of the security policy: which versions of TLS and which ciphers are taken.
   * @default 'ELBSecurityPolicy-TLS13-1-2-Res-PQ-2025-09' - what AWS recommends, for TLS and HTTPS
   */
  readonly sslPolicy?: string;
  /**
   * ARN of a listener that exists: it is adopted (Pulumi's `import`) with the weights that are live, and then updated to the
   * program's, with a shift if weights differ. May stay in the program.
   *
   * @default - the listener is created
   */
  readonly adopt?: string;
  /** Raw arguments of the listener, over everything else. @default - none */
  readonly listenerArgs?: Partial<aws.lb.ListenerArgs>;
}

export const listenerSettingsKeys: OptionsOf<ListenerSettings> = {
  port: 'plain',
  protocol: 'plain',
  certificateArn: 'open',
  sslPolicy: 'plain',
  adopt: 'plain',
  listenerArgs: 'open',
};

/** What is wrong with a listener's settings on a load balancer. */
export function listenerSettingsProblems(
  settings: ListenerSettings,
  loadBalancerArn: pulumi.Input<string>,
): readonly Problem[] {
  const problems = new Problems('listener');
  problems.check('port', settings.port, port);
  if (problems.check('protocol', settings.protocol, oneOf(...protocols))) {
    const { protocol, certificateArn, sslPolicy } = settings;
    const ofKind = protocolsAt(loadBalancerArn);
    if (ofKind && !ofKind.includes(protocol)) {
      problems.add(
        'protocol',
        protocol,
        `${oneOf(...ofKind).allowed} on the load balancer of loadBalancerArn`,
      );
    }
    if (isEncrypted(protocol) && certificateArn === undefined) {
      problems.add('certificateArn', undefined, `the ARN of a certificate, which ${protocol} needs`);
    }
    if (isEncrypted(protocol)) {
      checkInput(problems, 'certificateArn', certificateArn, certificateArnRule);
    } else {
      for (const [key, value] of Object.entries({ certificateArn, sslPolicy })) {
        if (value !== undefined) {
          problems.add(key, value, `left out: ${protocol} is not encrypted by the load balancer`);
        }
      }
    }
  }
  if (settings.adopt !== undefined) {
    problems.check('adopt', settings.adopt, listenerArn);
  }
  return problems.all;
}

/** What listeners of a load balancer speak, as far as its ARN says its kind. */
function protocolsAt(loadBalancerArn: pulumi.Input<string>): readonly ListenerProtocol[] | undefined {
  if (applicationLoadBalancerArn.accepts(loadBalancerArn)) {
    return ofRequests;
  }
  return loadBalancerArnRule.accepts(loadBalancerArn) ? ofConnections : undefined;
}

/** Whether the load balancer has the certificate. */
export function isEncrypted(protocol: ListenerProtocol): boolean {
  return encrypted.includes(protocol);
}

/** What can be counted on listeners together: an NLB among them counts no requests. */
export function layerOf(settings: readonly Pick<ListenerSettings, 'protocol'>[]): ShiftSubject['layer'] {
  return settings.every(({ protocol }) => oneOf(...ofRequests).accepts(protocol)) ? 'http' : 'connections';
}
