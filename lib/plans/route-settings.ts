import type { AwsAccess } from '../aws';
import type { RecordType } from '../routers';
import type { Weights } from '../shift';

/** What holds the weights of a route, and what stands behind each slot. */
export interface RouteSettings {
  /** What holds the weights. */
  readonly router: RouterSettings;
  /** 2 to 5 slots by name. */
  readonly slots: Readonly<Record<string, SlotSettings>>;
}

/** Exactly one of the keys. */
export type RouterSettings =
  /** A rule of an Application Load Balancer's listener. */
  | {
      readonly albRule: AwsAccess & {
        /** ARN of the rule. */
        readonly ruleArn: string;
      };
    }
  /** The default action of an Application Load Balancer's listener. */
  | {
      readonly albDefaultAction: AwsAccess & {
        /** ARN of the listener. */
        readonly listenerArn: string;
      };
    }
  /** A Network Load Balancer's listener. */
  | {
      readonly nlbListener: AwsAccess & {
        /** ARN of the listener. */
        readonly listenerArn: string;
      };
    }
  /** Weighted records. */
  | {
      readonly route53: AwsAccess & {
        /** Id of the hosted zone. */
        readonly hostedZoneId: string;
        /** Name of the records. */
        readonly recordName: string;
        /** Type of the records, or several, whose weights then go together. */
        readonly recordType: RecordType | readonly RecordType[];
      };
    }
  /** Weights in this process alone: to try a plan without AWS. */
  | { readonly simulated: SimulatedSettings };

/** Weights in this process alone. */
export interface SimulatedSettings {
  /** Weights at the start. @default - everything on the first slot that is not to get everything */
  readonly live?: Weights;
}

/** One slot. */
export interface SlotSettings {
  /** Of load balancers. @default - none, of Route 53 and simulated routers */
  readonly targetGroupArn?: string;
  /** Of Route 53 records. @default - none, of all others */
  readonly setIdentifier?: string;
  /** Name of the EKS cluster, which is its name in Argo CD, too. @default - not known: checks that need it are refused */
  readonly clusterName?: string;
}
