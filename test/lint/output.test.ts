import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import type { Finding, LintResult } from '../../lib/lint';
import {
  allRules,
  countByRule,
  countsText,
  lintDocument,
  lintText as textOf,
  rulePage,
  sarifLog,
  suppressionRules,
  withColours,
} from '../../lib/lint';
import { evaluateText } from './lint-text';
import { sarifSchema } from './sarif-schema';

const application = (name: string, annotations = ''): string => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: ${name}
  namespace: argocd
${annotations}spec:
  ignoreDifferences: [{ kind: Secret }]
`;
const allowed = '  annotations: { cluster-canary/allow-GIT01: it is synced by hand }\n';
const result = evaluateText(`${application('web')}---\n${application('old', allowed)}`, {
  rules: ['GIT01', 'YAML01'],
});
const unreadable = [
  { file: 'b c.yaml', line: 3, reason: 'not YAML' },
  { file: '/tmp/x.yaml', reason: 'binary' },
];
const failed: LintResult = {
  ...result,
  failures: [{ rule: 'WH01', error: new Error('odd') }],
  skippedRules: [{ rule: 'TLS13', needs: 'before' }],
};

describe('text', () => {
  test('is grouped by file, and says everything', () => {
    expect(textOf(failed).split('\n')).toEqual([
      'test.yaml',
      '  7  error  GIT01  differences of Secret are ignored, and syncOptions do not have RespectIgnoreDifferences=true',
      '      Application argocd/web /spec/ignoreDifferences/0',
      expect.stringMatching(/^ {6}why: ignoreDifferences hides/),
      '      fix: add RespectIgnoreDifferences=true to spec.syncPolicy.syncOptions',
      '      docs/rules.md#git01',
      '',
      '1 error, 0 warnings, 0 infos in 2 objects of 1 file; 1 suppressed',
      'left out, without the objects before a change (--baseline): TLS13',
      '',
    ]);
  });

  test('keeps to its lines, whatever stands in an object', () => {
    const [finding] = result.findings;
    const odd = {
      ...finding!,
      message: 'template a\u001b[2Jb\nc',
      object: { ...finding!.object, name: 'd\u009be\r' },
    };
    const lines = textOf({ ...failed, findings: [odd] }).split('\n');
    expect(lines).toHaveLength(textOf(failed).split('\n').length);
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    expect(lines[1]).toContain(String.raw`template a\u001b[2Jb\nc`);
  });

  test('is coloured by severity where that is wanted', () => {
    expect(textOf(result, withColours)).toContain('\u001b[31merror\u001b[0m');
    expect(textOf(result)).not.toContain('\u001b');
  });
});

describe('JSON', () => {
  const schema = JSON.parse(readFileSync(join(__dirname, '../../schemas/lint.json'), 'utf8')) as object;
  const formats = { uri: /^https:\/\/\S+$/, 'json-pointer': /^(?:\/(?:[^~/]|~[01])*)*$/ };
  const ajv = new Ajv2020({ strict: true, strictRequired: false, formats });
  const fits = ajv.compile(schema);

  test('is what its schema says', () => {
    const document = JSON.parse(JSON.stringify(lintDocument(failed, unreadable)));
    expect([fits(document), fits.errors]).toEqual([true, null]);
    expect(document).toMatchObject({
      schemaVersion: 1,
      findings: [{ rule: 'GIT01', fixPatch: [{ op: 'add', path: '/spec/syncPolicy' }] }],
      suppressed: [{ rule: 'GIT01', reason: 'it is synced by hand', object: { name: 'old' } }],
      unreadable,
      failures: [{ rule: 'WH01', message: 'odd' }],
      summary: { error: 1, objects: 2, files: 1, suppressed: 1 },
    });
  });

  test('which refuses anything else', () => {
    const document: any = lintDocument(result);
    for (const wrong of [
      { ...document, extra: 1 },
      { ...document, findings: [{ ...document.findings[0], severity: 'fatal' }] },
      { ...document, findings: [{ ...document.findings[0], reason: 'x' }] },
      { ...document, suppressed: document.findings },
    ]) {
      expect(fits(JSON.parse(JSON.stringify(wrong)))).toBe(false);
    }
  });
});

describe('counts', () => {
  const finding = result.findings[0]!;
  const of = (rule: string, severity: 'error' | 'warning', file: string, name = 'a') => ({
    ...finding,
    ...{ rule, severity, file, object: { ...finding.object, name } },
  });
  const findings = [
    ...['a', 'b', 'b', 'c'].map((file) => of('ZZ01', 'warning', file)),
    of('AA01', 'warning', 'a'),
    of('ZZ01', 'error', 'a', 'other'),
  ];

  test('are by rule and severity: the worst first, then the most', () => {
    const counts = countByRule(findings, [{ ...allRules[0]!, id: 'ZZ01', title: 'Z' }]);
    expect(
      counts.map(({ rule, title, severity, findings: number, objects, files, places }) => [
        ...[rule, title, severity, number, objects, files],
        places.map(({ file }) => file).join(),
      ]),
    ).toEqual([
      ['ZZ01', 'Z', 'error', 1, 1, 1, 'a'],
      ['ZZ01', 'Z', 'warning', 4, 3, 3, 'a,b,b'],
      ['AA01', undefined, 'warning', 1, 1, 1, 'a'],
    ]);
  });

  test('are the same objects’ of a file once, and count objects without a file', () => {
    const { file: _file, line: _line, ...without } = finding;
    expect(countByRule([without, without], [])).toMatchObject([{ findings: 2, objects: 1, files: 0 }]);
    expect(countsText({ ...result, findings: [without] }, [])).toContain('\n    objects without a file:-  ');
  });

  test('never begin another line', () => {
    const odd = of('ZZ01', 'error', 'a\u001b[2J\nb', 'x\ny');
    const text = countsText({ ...result, findings: [odd] }, [{ ...allRules[0]!, id: 'ZZ01', title: 'a\nb' }]);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f]/);
    expect(text.split('\n')).toHaveLength(countsText(result, []).split('\n').length);
  });
});

describe('SARIF', () => {
  const log: any = JSON.parse(
    JSON.stringify(sarifLog({ ...failed, rules: allRules, unreadable, version: '1.2.3' })),
  );
  const [run] = log.runs;

  test('has what the standard and code scanning ask for', () => {
    const fits = new Ajv2020({ strict: false }).compile(sarifSchema);
    expect([fits(log), fits.errors]).toEqual([true, null]);
    expect(fits({ ...log, version: '2.0.0' })).toBe(false);
    expect(log).toMatchObject({ version: '2.1.0', $schema: expect.stringContaining('sarif-2.1.0') });
    expect(run.tool.driver).toMatchObject({ name: 'cluster-canary', semanticVersion: '1.2.3' });
  });

  test("only a rule of a user's own may have a page beside its help", () => {
    const own = { ...allRules[0]!, id: 'ACME01', link: 'https://rules.example.com/acme01' };
    const { runs }: any = sarifLog({ findings: [], failures: [], rules: [own], version: '1' });
    expect(runs[0].tool.driver.rules[0]).toMatchObject({
      helpUri: own.link,
      help: { text: expect.stringContaining('annotate that with cluster-canary/allow-ACME01') },
    });
  });

  test('describes every rule, and results name theirs by id and position', () => {
    const ids = run.tool.driver.rules.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...allRules, ...suppressionRules].map(({ id }) => id));
    for (const rule of run.tool.driver.rules) {
      expect(rule).toMatchObject({
        help: {
          text: expect.stringContaining('How to fix it: '),
          markdown: expect.stringMatching(/^\*\*.+\*\*\n\nWhy it hurts: .+\n\nHow to fix it: /),
        },
      });
      // What it says is in the log: there is no page to open.
      expect(rule).not.toHaveProperty('helpUri');
    }
    const [found] = run.results;
    expect(ids[found.ruleIndex]).toBe(found.ruleId);
    expect(found).toMatchObject({
      ruleId: 'GIT01',
      level: 'error',
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'test.yaml' }, region: { startLine: 7 } },
          logicalLocations: [{ fullyQualifiedName: 'Application argocd/web /spec/ignoreDifferences/0' }],
        },
      ],
    });
    expect(run.results).toHaveLength(1);
  });

  test('says what could not be judged', () => {
    expect(run.invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          expect.objectContaining({
            message: { text: 'not YAML' },
            locations: [
              { physicalLocation: { artifactLocation: { uri: 'b%20c.yaml' }, region: { startLine: 3 } } },
            ],
          }),
          expect.objectContaining({
            locations: [
              {
                physicalLocation: expect.objectContaining({
                  artifactLocation: { uri: 'file:///tmp/x.yaml' },
                }),
              },
            ],
          }),
          expect.objectContaining({ message: { text: 'the rule WH01 failed: odd' } }),
        ],
      },
    ]);
    const whole: any = sarifLog({ findings: [], failures: [], rules: [], version: '1.0.0' });
    expect(whole.runs[0].invocations).toEqual([{ executionSuccessful: true }]);
  });

  test('knows a finding again when its line moves, and two of one place apart', () => {
    const hashes = (findings: readonly Finding[]): string[] =>
      (sarifLog({ findings, failures: [], rules: allRules, version: '1.0.0' }) as any).runs[0].results.map(
        ({ partialFingerprints }: any) => partialFingerprints.primaryLocationLineHash,
      );
    const [found] = result.findings;
    const [same, moved] = [hashes([found!]), hashes([{ ...found!, line: 99 }])];
    expect(moved).toEqual(same);
    expect(new Set(hashes([found!, found!, { ...found!, pointer: '/x' }])).size).toBe(3);
  });
});

test('links lead to a page in the package, and none to a host that is not there', () => {
  const texts = [
    rulePage('WH06'),
    JSON.stringify(sarifLog({ findings: [], failures: [], rules: allRules, version: '1.0.0' })),
  ];
  expect(texts[0]).toBe('docs/rules.md#wh06');
  expect(readFileSync(join(__dirname, '..', '..', 'docs', 'rules.md'), 'utf8')).toContain('\n## WH06\n');
  expect(texts[1]).not.toMatch(/informationUri|\.example\/docs/);
});
