const message = {
  type: 'object',
  required: ['text'],
  properties: { text: { type: 'string', minLength: 1 }, markdown: { type: 'string', minLength: 1 } },
  additionalProperties: false,
};

const location = {
  type: 'object',
  required: ['physicalLocation'],
  properties: {
    physicalLocation: {
      type: 'object',
      required: ['artifactLocation', 'region'],
      properties: {
        artifactLocation: {
          type: 'object',
          required: ['uri'],
          properties: { uri: { type: 'string', pattern: '^[^\\s<>"{}|\\\\^`]+$' } },
          additionalProperties: false,
        },
        region: {
          type: 'object',
          required: ['startLine'],
          properties: { startLine: { type: 'integer', minimum: 1 } },
          additionalProperties: false,
        },
      },
      additionalProperties: false,
    },
    logicalLocations: {
      type: 'array',
      items: {
        type: 'object',
        properties: { fullyQualifiedName: { type: 'string' }, kind: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

const level = { enum: ['error', 'warning', 'note'] };

const rule = {
  type: 'object',
  required: ['id', 'shortDescription', 'fullDescription', 'help', 'defaultConfiguration'],
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    shortDescription: message,
    fullDescription: message,
    help: message,
    helpUri: { type: 'string', pattern: '^https://' },
    defaultConfiguration: {
      type: 'object',
      required: ['level'],
      properties: { level },
      additionalProperties: false,
    },
    properties: {
      type: 'object',
      properties: { tags: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
    },
  },
  additionalProperties: false,
};

const result = {
  type: 'object',
  required: ['ruleId', 'ruleIndex', 'level', 'message', 'locations', 'partialFingerprints'],
  properties: {
    ruleId: { type: 'string' },
    ruleIndex: { type: 'integer', minimum: 0 },
    level,
    message,
    locations: { type: 'array', minItems: 1, items: location },
    partialFingerprints: {
      type: 'object',
      required: ['primaryLocationLineHash'],
      additionalProperties: { type: 'string' },
    },
  },
  additionalProperties: false,
};

/**
 * The part of SARIF 2.1.0 that is written here, with what GitHub code scanning needs of it made required and everything that
 * is not known to be part of the standard refused.
 */
export const sarifSchema = {
  type: 'object',
  required: ['$schema', 'version', 'runs'],
  properties: {
    $schema: { type: 'string' },
    version: { const: '2.1.0' },
    runs: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['tool', 'results'],
        properties: {
          tool: {
            type: 'object',
            required: ['driver'],
            properties: {
              driver: {
                type: 'object',
                required: ['name', 'rules'],
                properties: {
                  name: { type: 'string' },
                  semanticVersion: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+' },
                  informationUri: { type: 'string', pattern: '^https://' },
                  rules: { type: 'array', uniqueItems: true, items: rule },
                },
                additionalProperties: false,
              },
            },
            additionalProperties: false,
          },
          columnKind: { enum: ['utf16CodeUnits', 'unicodeCodePoints'] },
          invocations: {
            type: 'array',
            items: {
              type: 'object',
              required: ['executionSuccessful'],
              properties: {
                executionSuccessful: { type: 'boolean' },
                toolExecutionNotifications: {
                  type: 'array',
                  items: {
                    type: 'object',
                    required: ['message'],
                    properties: { level, message, locations: { type: 'array', items: location } },
                    additionalProperties: false,
                  },
                },
              },
              additionalProperties: false,
            },
          },
          results: { type: 'array', items: result },
        },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};
