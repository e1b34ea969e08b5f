/**
 * The messages of gnostic's OpenAPIv2.proto (github.com/google/gnostic-models) that documents are made of:
 * for each field its name in JSON, its number and its type. `[]X` are many; `{}X` are the members of an
 * object by name, each a message of name and value; `x-` stands for the members whose names begin so.
 */
const NON_BODY =
  'allowEmptyValue:5:bool type:6 format:7 items:8:PrimitivesItems collectionFormat:9 default:10:Any maximum:11:double exclusiveMaximum:12:bool minimum:13:double exclusiveMinimum:14:bool maxLength:15:int minLength:16:int pattern:17 maxItems:18:int minItems:19:int uniqueItems:20:bool enum:21:[]Any multipleOf:22:double x-:23'
const NON_BODY_SHORT =
  'type:5 format:6 items:7:PrimitivesItems collectionFormat:8 default:9:Any maximum:10:double exclusiveMaximum:11:bool minimum:12:double exclusiveMinimum:13:bool maxLength:14:int minLength:15:int pattern:16 maxItems:17:int minItems:18:int uniqueItems:19:bool enum:20:[]Any multipleOf:21:double x-:22'
const PRIMITIVE =
  'type:1 format:2 items:3:PrimitivesItems collectionFormat:4 default:5:Any maximum:6:double exclusiveMaximum:7:bool minimum:8:double exclusiveMinimum:9:bool maxLength:10:int minLength:11:int pattern:12 maxItems:13:int minItems:14:int uniqueItems:15:bool enum:16:[]Any multipleOf:17:double'

const SOURCE = {
  Document:
    'swagger:1 info:2:Info host:3 basePath:4 schemes:5:[]string consumes:6:[]string produces:7:[]string paths:8:Paths definitions:9:Definitions parameters:10:ParameterDefinitions responses:11:ResponseDefinitions security:12:[]SecurityRequirement securityDefinitions:13:SecurityDefinitions tags:14:[]Tag externalDocs:15:ExternalDocs x-:16',
  Info: 'title:1 version:2 description:3 termsOfService:4 contact:5:Contact license:6:License x-:7',
  Contact: 'name:1 url:2 email:3 x-:4',
  License: 'name:1 url:2 x-:3',
  Tag: 'name:1 description:2 externalDocs:3:ExternalDocs x-:4',
  ExternalDocs: 'description:1 url:2 x-:3',
  Paths: 'x-:1 *:2:{}PathItem',
  PathItem:
    '$ref:1 get:2:Operation put:3:Operation post:4:Operation delete:5:Operation options:6:Operation head:7:Operation patch:8:Operation parameters:9:[]ParametersItem x-:10',
  Operation:
    'tags:1:[]string summary:2 description:3 externalDocs:4:ExternalDocs operationId:5 produces:6:[]string consumes:7:[]string parameters:8:[]ParametersItem responses:9:Responses schemes:10:[]string deprecated:11:bool security:12:[]SecurityRequirement x-:13',
  JsonReference: '$ref:1 description:2',
  BodyParameter: 'description:1 name:2 in:3 required:4:bool schema:5:Schema x-:6',
  HeaderParameterSubSchema: `required:1:bool in:2 description:3 name:4 ${NON_BODY_SHORT}`,
  FormDataParameterSubSchema: `required:1:bool in:2 description:3 name:4 ${NON_BODY}`,
  QueryParameterSubSchema: `required:1:bool in:2 description:3 name:4 ${NON_BODY}`,
  PathParameterSubSchema: `required:1:bool in:2 description:3 name:4 ${NON_BODY_SHORT}`,
  PrimitivesItems: `${PRIMITIVE} x-:18`,
  Responses: '*:1:{}ResponseValue x-:2',
  Response: 'description:1 schema:2:SchemaItem headers:3:Headers examples:4:Examples x-:5',
  Headers: '*:1:{}Header',
  Header: `${PRIMITIVE} description:18 x-:19`,
  Examples: '*:1:{}Any',
  Definitions: '*:1:{}Schema',
  Properties: '*:1:{}Schema',
  ParameterDefinitions: '*:1:{}Parameter',
  ResponseDefinitions: '*:1:{}Response',
  SecurityDefinitions: '*:1:{}SecurityDefinitionsItem',
  SecurityRequirement: '*:1:{}StringArray',
  Oauth2Scopes: '*:1:{}string',
  FileSchema:
    'format:1 title:2 description:3 default:4:Any required:5:[]string type:6 readOnly:7:bool externalDocs:8:ExternalDocs example:9:Any x-:10',
  Schema:
    '$ref:1 format:2 title:3 description:4 default:5:Any multipleOf:6:double maximum:7:double exclusiveMaximum:8:bool minimum:9:double exclusiveMinimum:10:bool maxLength:11:int minLength:12:int pattern:13 maxItems:14:int minItems:15:int uniqueItems:16:bool maxProperties:17:int minProperties:18:int required:19:[]string enum:20:[]Any additionalProperties:21:AdditionalPropertiesItem type:22:TypeItem items:23:ItemsItem allOf:24:[]Schema properties:25:Properties discriminator:26 readOnly:27:bool xml:28:Xml externalDocs:29:ExternalDocs example:30:Any x-:31',
  Xml: 'name:1 namespace:2 prefix:3 attribute:4:bool wrapped:5:bool x-:6',
  BasicAuthenticationSecurity: 'type:1 description:2 x-:3',
  ApiKeySecurity: 'type:1 name:2 in:3 description:4 x-:5',
  Oauth2ImplicitSecurity: 'type:1 flow:2 scopes:3:Oauth2Scopes authorizationUrl:4 description:5 x-:6',
  Oauth2PasswordSecurity: 'type:1 flow:2 scopes:3:Oauth2Scopes tokenUrl:4 description:5 x-:6',
  Oauth2ApplicationSecurity: 'type:1 flow:2 scopes:3:Oauth2Scopes tokenUrl:4 description:5 x-:6',
  Oauth2AccessCodeSecurity:
    'type:1 flow:2 scopes:3:Oauth2Scopes authorizationUrl:4 tokenUrl:5 description:6 x-:7',
} as const

export interface Field {
  /** `*`: every member that no other field names. */
  readonly name: string
  readonly number: number
  readonly form: 'one' | 'many' | 'named'
  readonly type: string
}

/** Returns a message's fields by rising number; undefined if the name has no message with fields. */
export function fieldsOf(message: string): readonly Field[] | undefined {
  return FIELDS.get(message)
}

const FIELDS: ReadonlyMap<string, readonly Field[]> = new Map(
  Object.entries(SOURCE).map(([message, text]) => [message, text.split(' ').map(fieldOf)]),
)

function fieldOf(text: string): Field {
  const [name = '', number, type = name === 'x-' ? '{}Any' : 'string'] = text.split(':')
  const form = type.startsWith('[]') ? 'many' : type.startsWith('{}') ? 'named' : 'one'
  return { name, number: Number(number), form, type: type.replace(/^(\[\]|\{\})/, '') }
}
