import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { libraryProgram, withLanguage } from './library-program';
import { fileOf, namespaceOf } from './public-names';

/** A parameter of an exported constructor or function that takes options. */
export interface OptionsParameter {
  /** `traffic.FleetTraffic`, `checks.cloudWatch.metric` */
  readonly name: string;
  readonly isClass: boolean;
  /** Names of all parameters, and which of them the options are. */
  readonly parameters: readonly string[];
  readonly position: number;
  /** Objects of options, the parameter's own first: `''`, `routes.one`, `shift.checks[0]`. */
  readonly objects: readonly string[];
  /** Options that hold plain values: `weights.one`, `routes.one.hosts[0]`. */
  readonly plain: readonly string[];
}

const root = resolve(__dirname, '../..');

/** Names by which a parameter, or its type, is one of options. */
const byType = /(Args|Props|Options|Settings|RetryStrategy)(\[\])?$/;
const record = /^(args|props|options|settings)$/;

/** Every exported constructor and function of the subpaths that takes options of types of ours. */
export function optionsParameters(subpaths: readonly string[]): readonly OptionsParameter[] {
  const entries = subpaths.map(fileOf);
  const made = libraryProgram(entries, withLanguage);
  const checker = made.getTypeChecker();
  const found: OptionsParameter[] = [];

  const isOurs = (symbol: ts.Symbol | undefined): boolean =>
    symbol?.declarations?.some((each) => each.getSourceFile().fileName.startsWith(join(root, 'lib'))) ??
    false;
  const isCalled = (type: ts.Type): boolean =>
    type.getCallSignatures().length + type.getConstructSignatures().length > 0;
  const parts = (type: ts.Type): ts.Type[] => {
    const given = checker.getNonNullableType(type);
    return given.isUnion() ? given.types : [given];
  };
  const isObject = (type: ts.Type): boolean =>
    (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) !== 0;
  const itemOf = (type: ts.Type): ts.Type | undefined =>
    checker.isArrayType(type) || checker.isTupleType(type) ? type.getNumberIndexType() : undefined;
  /** An object with keys of ours: no class, nothing with methods, nothing of a package. */
  const isOptions = (type: ts.Type): boolean =>
    isObject(type) &&
    itemOf(type) === undefined &&
    !isCalled(type) &&
    !((type.symbol?.flags ?? 0) & ts.SymbolFlags.Class) &&
    type.getProperties().length > 0 &&
    type.getProperties().every((each) => isOurs(each)) &&
    !type
      .getProperties()
      .some((each) => !(each.flags & ts.SymbolFlags.Optional) && isCalled(checker.getTypeOfSymbol(each)));

  /** What a record holds whose keys are a type parameter: it has no index yet. */
  const valueOf = ({ aliasSymbol, aliasTypeArguments: args = [] }: ts.Type): ts.Type | undefined =>
    aliasSymbol?.name === 'Record'
      ? args[1]
      : aliasSymbol?.name === 'Readonly'
        ? valueOf(args[0]!)
        : undefined;

  /** Whether it extends a type of a package: a construct, or options of Pulumi's. */
  const isOfPackage = (type: ts.Type): boolean =>
    (type.symbol?.declarations ?? []).some(
      (each) =>
        ts.isInterfaceDeclaration(each) &&
        (each.heritageClauses ?? []).some(({ types }) =>
          types.some((one) => checker.getTypeAtLocation(one).flags & ts.TypeFlags.Any),
        ),
    );

  /** Adds the paths of a value of some type. `around`: the types that it is within. */
  function walk(
    type: ts.Type,
    path: string,
    around: readonly ts.Type[],
    into: { objects: Set<string>; plain: Set<string> },
  ): void {
    const all = parts(type);
    if (all.some((each) => each.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown) || isCalled(each))) {
      return;
    }
    const objects = all.filter(isObject);
    if (objects.length === 0 && all.length > 0 && path !== '') {
      into.plain.add(path);
    }
    for (const each of objects.filter((one) => !around.includes(one))) {
      const item = itemOf(each);
      const named = each.getStringIndexType() ?? valueOf(each);
      if (item) {
        walk(item, `${path}[0]`, [...around, each], into);
      } else if (named && each.getProperties().length === 0) {
        walk(named, `${path}.one`, [...around, each], into);
      } else if (isOptions(each) && !isOfPackage(each)) {
        // With a field of any name it is somebody else's format.
        if (!named) {
          into.objects.add(path);
        }
        for (const property of each.getProperties()) {
          const below = path === '' ? property.name : `${path}.${property.name}`;
          walk(checker.getTypeOfSymbol(property), below, [...around, each], into);
        }
      }
    }
  }

  function signature(name: string, one: ts.Signature, isClass: boolean): void {
    const declared = one.getDeclaration() as ts.SignatureDeclaration | undefined;
    const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
    if (
      !declared ||
      !isOurs(one.getDeclaration() && ({ declarations: [declared] } as unknown as ts.Symbol)) ||
      ts.getCombinedModifierFlags(declared as unknown as ts.Declaration) & hidden
    ) {
      return;
    }
    const parameters = one.getParameters();
    parameters.forEach((parameter, position) => {
      const node = parameter.valueDeclaration as ts.ParameterDeclaration | undefined;
      const isRest = node?.dotDotDotToken !== undefined;
      const type = checker.getTypeOfSymbol(parameter);
      if (
        !record.test(parameter.name) &&
        !(name.startsWith('checks.') && parameter.name === 'given') &&
        !byType.test(node?.type?.getText() ?? '')
      ) {
        return;
      }
      const into = { objects: new Set<string>(), plain: new Set<string>() };
      walk(isRest ? (itemOf(type) ?? type) : type, '', [], into);
      if (into.objects.has('')) {
        const names = parameters.map((each) => each.name);
        found.push({
          name,
          isClass,
          parameters: names,
          position,
          objects: [...into.objects],
          plain: [...into.plain],
        });
      }
    });
  }

  function visit(name: string, type: ts.Type, depth: number): void {
    type.getConstructSignatures().forEach((each) => signature(name, each, true));
    type.getCallSignatures().forEach((each) => signature(name, each, false));
    const isClass = type.getConstructSignatures().length > 0;
    if (isClass || (depth < 3 && isObject(type) && !isCalled(type) && itemOf(type) === undefined)) {
      for (const property of type
        .getProperties()
        .filter((each) => isOurs(each) && each.name !== 'prototype')) {
        visit(`${name}.${property.name}`, checker.getTypeOfSymbol(property), depth + 1);
      }
    }
  }

  for (const [index, entry] of entries.entries()) {
    const module = checker.getSymbolAtLocation(made.getSourceFile(entry)!)!;
    for (const each of checker.getExportsOfModule(module)) {
      const symbol = each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each;
      if (symbol.flags & ts.SymbolFlags.Value) {
        visit(`${namespaceOf(subpaths[index]!)}.${each.name}`, checker.getTypeOfSymbol(symbol), 0);
      }
    }
  }
  return found;
}
