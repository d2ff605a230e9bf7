import type { Action, ActionTypeEnum, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Properties } from '../resource-kind';

/** Actions as the API takes them. Left out: authentication, and `order`, since one action is all we use. */
export function listenerActions(actions: readonly Properties[]): Action[] {
  return actions.map((action) => ({
    Type: action.type as ActionTypeEnum,
    ...(action.forward && {
      ForwardConfig: {
        TargetGroups: (action.forward.targetGroups as Properties[]).map(({ arn, weight }) => ({
          TargetGroupArn: arn as string,
          Weight: weight as number,
        })),
        ...(action.forward.stickiness && {
          TargetGroupStickinessConfig: {
            Enabled: action.forward.stickiness.enabled as boolean,
            DurationSeconds: action.forward.stickiness.duration as number,
          },
        }),
      },
    }),
    ...(action.fixedResponse && {
      FixedResponseConfig: {
        StatusCode: action.fixedResponse.statusCode as string,
        ContentType: action.fixedResponse.contentType as string,
        MessageBody: action.fixedResponse.messageBody as string,
      },
    }),
    ...(action.redirect && {
      RedirectConfig: {
        Protocol: action.redirect.protocol as string,
        Port: action.redirect.port as string,
        StatusCode: action.redirect.statusCode as 'HTTP_301',
      },
    }),
  }));
}

/** Conditions as the API takes them. */
export function ruleConditions(conditions: readonly Properties[]): RuleCondition[] {
  return conditions.map((condition) => {
    const { hostHeader, pathPattern, httpRequestMethod, sourceIp, httpHeader, queryStrings } = condition;
    if (hostHeader) {
      return { Field: 'host-header', HostHeaderConfig: { Values: hostHeader.values } };
    }
    if (pathPattern) {
      return { Field: 'path-pattern', PathPatternConfig: { Values: pathPattern.values } };
    }
    if (httpRequestMethod) {
      return { Field: 'http-request-method', HttpRequestMethodConfig: { Values: httpRequestMethod.values } };
    }
    if (sourceIp) {
      return { Field: 'source-ip', SourceIpConfig: { Values: sourceIp.values } };
    }
    if (httpHeader) {
      return {
        Field: 'http-header',
        HttpHeaderConfig: { HttpHeaderName: httpHeader.httpHeaderName, Values: httpHeader.values },
      };
    }
    return {
      Field: 'query-string',
      QueryStringConfig: {
        Values: (queryStrings as Properties[]).map(({ key, value }) => ({ Key: key, Value: value })),
      },
    };
  });
}

/** Forward actions as a program writes them. */
export function foundActions(actions: readonly Action[]): Properties[] {
  return actions.map(({ Type, ForwardConfig }) => ({
    type: Type,
    ...(ForwardConfig && {
      forward: {
        targetGroups: ForwardConfig.TargetGroups!.map(({ TargetGroupArn, Weight }) => ({
          arn: TargetGroupArn,
          weight: Weight,
        })),
        ...(ForwardConfig.TargetGroupStickinessConfig?.DurationSeconds !== undefined && {
          stickiness: {
            enabled: ForwardConfig.TargetGroupStickinessConfig.Enabled,
            duration: ForwardConfig.TargetGroupStickinessConfig.DurationSeconds,
          },
        }),
      },
    }),
  }));
}

/** Conditions on hosts, paths and headers as a program writes them. */
export function foundConditions(conditions: readonly RuleCondition[]): Properties[] {
  return conditions.map(({ HostHeaderConfig, PathPatternConfig, HttpHeaderConfig }) => {
    if (HttpHeaderConfig) {
      const { HttpHeaderName: httpHeaderName, Values: values } = HttpHeaderConfig;
      return { httpHeader: { httpHeaderName, values } };
    }
    return HostHeaderConfig
      ? { hostHeader: { values: HostHeaderConfig.Values } }
      : { pathPattern: { values: PathPatternConfig?.Values } };
  });
}
