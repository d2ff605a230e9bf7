import { join, resolve } from 'node:path';
import * as ts from 'typescript';
import { libraryProgram, withLanguage } from '../../package/library-program';
import type { JsonSchema } from '../../../lib/core/validation/schema';

const root = resolve(__dirname, '../../..');

/** A JSON Schema with the docstrings of a type beside its keys. */
export function described(schema: JsonSchema, file: string, name: string): JsonSchema {
  const { checker, type } = typeOf(join(root, file), name);
  return describe(checker, schema, type);
}

/**
 * The JSON Schemas of several schemas that a table has, with the docstrings of their types beside their keys.
 *
 * @param table name of the table, an exported object whose values each have a `Schema`
 * @param key under which each has it
 */
export function describedTable(
  schemas: Readonly<Record<string, JsonSchema>>,
  file: string,
  table: string,
  key: string,
): Readonly<Record<string, JsonSchema>> {
  const { checker, symbol } = exported(join(root, file), table);
  const inside = (type: ts.Type, name: string) =>
    checker.getTypeOfSymbol(checker.getPropertyOfType(type, name)!);
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const held = inside(inside(checker.getTypeOfSymbol(symbol), name), key);
      const [type] = checker.getTypeArguments(held as ts.TypeReference);
      return [name, describe(checker, schema, type!)];
    }),
  );
}

function describe(checker: ts.TypeChecker, schema: JsonSchema, given: ts.Type): JsonSchema {
  const type = checker.getNonNullableType(given);
  const { properties, additionalProperties, items, anyOf } = schema;
  const item = items && checker.getIndexTypeOfType(type, ts.IndexKind.Number);
  const named =
    typeof additionalProperties === 'object' && checker.getIndexTypeOfType(type, ts.IndexKind.String);
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map((each) => describe(checker, each, type)) }),
    ...(items && { items: item ? describe(checker, items, item) : items }),
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([key, each]) => [key, property(checker, key, each, type)]),
      ),
    }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: named ? describe(checker, additionalProperties, named) : additionalProperties,
    }),
  };
}

function property(checker: ts.TypeChecker, key: string, schema: JsonSchema, type: ts.Type): JsonSchema {
  const forms = type.isUnion() ? type.types : [type];
  const symbol = forms.map((each) => checker.getPropertyOfType(each, key)).find((found) => found);
  if (!symbol && schema.description !== undefined) {
    return schema;
  }
  if (!symbol) {
    throw new Error(`${checker.typeToString(type)} has no ${key}`);
  }
  const description = descriptionOf(checker, symbol);
  return {
    ...(description && { description }),
    ...describe(checker, schema, checker.getTypeOfSymbol(symbol)),
  };
}

/** The first paragraph, and the default. */
function descriptionOf(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker));
  const tag = symbol.getJsDocTags(checker).find(({ name }) => name === 'default');
  const value = ts.displayPartsToString(tag?.text).replace(/^- /, '');
  const said = value && `${value === '' ? '' : `Default: ${value}.`}`;
  return [text, said]
    .filter(Boolean)
    .join(' ')
    .replace(/\{@link (\w+)\}/g, '$1')
    .replace(/\s+/g, ' ');
}

function typeOf(file: string, name: string): { readonly checker: ts.TypeChecker; readonly type: ts.Type } {
  const { checker, symbol } = exported(file, name);
  return { checker, type: checker.getDeclaredTypeOfSymbol(symbol) };
}

function exported(
  file: string,
  name: string,
): { readonly checker: ts.TypeChecker; readonly symbol: ts.Symbol } {
  const program = libraryProgram([file], withLanguage);
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file)!;
  const symbol = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source)!)
    .find((each) => each.name === name);
  if (!symbol) {
    throw new Error(`${file} exports no ${name}`);
  }
  return { checker, symbol };
}
