import type { Rule } from '../../rules';

/**
 * The same rules, which tell how many were run: judging leaves no time to a timer.
 *
 * @param onRule is told before each how many came before; a rule that runs again after others counts again
 */
export function countedRules(rules: readonly Rule[], onRule: (count: number) => void): readonly Rule[] {
  let run = 0;
  let last: Rule | undefined;
  return rules.map((rule) => {
    const check: Rule['check'] = (context) => {
      if (rule !== last) {
        onRule(run);
        run += 1;
        last = rule;
      }
      return rule.check(context);
    };
    // Somebody's own rule may be of a class, whose fields a copy would lack.
    return Object.assign(Object.create(rule) as Rule, { check });
  });
}
