import {
  ALL_VERBS,
  type ResourceDefinition,
  type Subresource,
  type Verb,
} from '../../registry/definition/resource-definition.ts'
import { listNameOf, schemaNameOf, subresourceSchemaName } from '../schemas/names.ts'
import { capital, idPrefix, tagOf, withArticle } from './names.ts'
import { META, type Route, type RouteAnswer, type RouteBody, type RouteKind } from './route.ts'
import { isBuiltIn, type RouteStyle, styleOf } from './style.ts'

/** A subresource as routes need it. */
interface RoutedSubresource {
  readonly name: string
  readonly verbs: readonly ('create' | 'get' | 'patch' | 'update')[]
  readonly kind: RouteKind
  /** Name of the schema of its bodies and answers. */
  readonly schema: string
}

const STATUS: Subresource = { kind: '', verbs: ['get', 'patch', 'update'] }

/** Returns the subresources of a resource, with `status` if it has one. */
function subresourcesOf(definition: ResourceDefinition): RoutedSubresource[] {
  const { group, version, kind, hasStatus, subresources = {} } = definition
  const all = hasStatus ? { status: STATUS, ...subresources } : subresources
  return Object.entries(all).map(([name, subresource]) => ({
    name,
    verbs: subresource.verbs,
    schema: subresourceSchemaName(definition, subresource),
    kind:
      isBuiltIn(definition) && subresource.kind !== ''
        ? {
            group: subresource.group ?? group,
            version: subresource.version ?? version,
            kind: subresource.kind,
          }
        : { group, version, kind },
  }))
}

const DEPRECATED = "deprecated: use the 'watch' parameter with a list operation instead"

/** Returns all operations of a resource and its subresources. */
export function resourceRoutes(definition: ResourceDefinition): Route[] {
  const { namespaced, verbs = ALL_VERBS } = definition
  const maker = new RouteMaker(definition)
  const can = (verb: Verb): boolean => verbs.includes(verb)
  return [
    ...(can('list') && namespaced ? [maker.list('')] : []),
    ...(can('list') ? [maker.list(maker.place)] : []),
    ...(can('create') ? [maker.create()] : []),
    ...(can('deletecollection') ? [maker.deleteCollection()] : []),
    ...(can('get') ? [maker.read()] : []),
    ...(can('update') ? [maker.replace()] : []),
    ...(can('delete') ? [maker.delete()] : []),
    ...(can('patch') ? [maker.patch()] : []),
    ...subresourcesOf(definition).flatMap((subresource) =>
      subresource.verbs.map((verb) => maker.ofSubresource(subresource, verb)),
    ),
    ...(can('watch') && maker.style.complete ? maker.watches() : []),
  ]
}

interface Target {
  readonly path: string
  readonly schema: string
  readonly kind: RouteKind
  /** Empty for the resource itself. */
  readonly subresource: string
}

class RouteMaker {
  readonly style: RouteStyle
  /** `/namespaces/{namespace}` where there are any. */
  readonly place: string
  readonly #definition: ResourceDefinition
  readonly #root: string
  readonly #object: Target

  constructor(definition: ResourceDefinition) {
    const { group, version, kind, plural, namespaced } = definition
    this.#definition = definition
    this.style = styleOf(definition)
    this.place = namespaced ? '/namespaces/{namespace}' : ''
    this.#root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
    this.#object = {
      path: `${this.#root}${this.place}/${plural}/{name}`,
      schema: schemaNameOf(definition),
      kind: { group, version, kind },
      subresource: '',
    }
  }

  list(place: string): Route {
    const { plural, kind, namespaced } = this.#definition
    const everywhere = namespaced && place === ''
    const listed = everywhere ? `${kind}ForAllNamespaces` : `${this.#scope}${kind}`
    return this.#route(this.#object, {
      path: `${this.#root}${place}/${plural}`,
      method: 'get',
      action: 'list',
      description: `${this.style.listText} ${kind}`,
      operationId: this.#id('list', listed),
      parameters: this.style.parameters.list,
      produces: this.style.streams,
      answers: [ok(listNameOf(this.#definition))],
    })
  }

  create(target: Target = this.#object): Route {
    const { kind, plural } = this.#definition
    const { schema, subresource } = target
    return this.#route(target, {
      path: subresource === '' ? `${this.#root}${this.place}/${plural}` : target.path,
      method: 'post',
      action: 'post',
      description: `create ${subresource === '' ? '' : `${subresource} of `}${withArticle(kind)}`,
      operationId: this.#id('create', this.#named(subresource)),
      parameters: this.style.parameters.write,
      body: { schema, required: true },
      answers: [ok(schema), { code: 201, schema }, { code: 202, schema }],
    })
  }

  deleteCollection(): Route {
    const { kind, plural } = this.#definition
    return this.#route(this.#object, {
      path: `${this.#root}${this.place}/${plural}`,
      method: 'delete',
      action: 'deletecollection',
      description: `delete collection of ${kind}`,
      operationId: this.#id('delete', `Collection${this.#scope}${kind}`),
      parameters: this.style.parameters.deletecollection,
      ...(this.style.collectionBody ? { body: DELETE_OPTIONS } : {}),
      answers: [ok(`${META}Status`)],
    })
  }

  read(target: Target = this.#object): Route {
    return this.#route(target, {
      method: 'get',
      action: 'get',
      description: `read ${this.#specified(target)}`,
      operationId: this.#id('read', this.#named(target.subresource)),
      parameters: this.style.parameters.get,
      answers: [ok(target.schema)],
    })
  }

  replace(target: Target = this.#object): Route {
    const { schema } = target
    return this.#route(target, {
      method: 'put',
      action: 'put',
      description: `replace ${this.#specified(target)}`,
      operationId: this.#id('replace', this.#named(target.subresource)),
      parameters: this.style.parameters.write,
      body: { schema, required: true },
      answers: [ok(schema), { code: 201, schema }],
    })
  }

  delete(): Route {
    const { kind, returnsDeleted, strategy } = this.#definition
    // What finalizers of the server's own hold answers itself too, while it is there. Documents omit that.
    const isHeld = strategy?.finalizedBySpec === true || strategy?.prepareForDelete !== undefined
    const answersItself = returnsDeleted && this.style.complete && !isHeld
    const schema = answersItself ? this.#object.schema : `${META}Status`
    return this.#route(this.#object, {
      method: 'delete',
      action: 'delete',
      description: `delete ${withArticle(kind)}`,
      operationId: this.#id('delete', this.#named('')),
      parameters: this.style.parameters.delete,
      body: DELETE_OPTIONS,
      answers: [ok(schema), { code: 202, schema }],
    })
  }

  patch(target: Target = this.#object): Route {
    const { schema } = target
    return this.#route(target, {
      method: 'patch',
      action: 'patch',
      description: `partially update ${this.#specified(target)}`,
      operationId: this.#id('patch', this.#named(target.subresource)),
      parameters: this.style.parameters.patch,
      body: { schema: `${META}Patch`, required: true },
      consumes: this.style.patchTypes,
      answers: [ok(schema), ...(this.style.patchCreates ? [{ code: 201, schema } as const] : [])],
    })
  }

  ofSubresource({ name, kind, schema }: RoutedSubresource, verb: RoutedSubresource['verbs'][number]): Route {
    const target = { path: `${this.#object.path}/${name}`, schema, kind, subresource: name }
    switch (verb) {
      case 'get':
        return this.read(target)
      case 'update':
        return this.replace(target)
      case 'patch':
        return this.patch(target)
      case 'create':
        return this.create(target)
    }
  }

  watches(): Route[] {
    const { kind, plural, namespaced } = this.#definition
    const list = {
      action: 'watchlist',
      text: `watch individual changes to a list of ${kind}. ${DEPRECATED}.`,
    }
    const single = {
      action: 'watch',
      text: `watch changes to an object of kind ${kind}. ${DEPRECATED}, filtered to a single item with the 'fieldSelector' parameter.`,
    }
    const path = `${this.#root}/watch${this.place}/${plural}`
    return [
      ...(namespaced
        ? [this.#watch(`${this.#root}/watch/${plural}`, list, `${kind}ListForAllNamespaces`)]
        : []),
      this.#watch(path, list, `${this.#scope}${kind}List`),
      this.#watch(`${path}/{name}`, single, this.#named('')),
    ]
  }

  #watch(path: string, { action, text }: { action: string; text: string }, name: string): Route {
    return this.#route(this.#object, {
      path,
      method: 'get',
      action,
      description: text,
      operationId: this.#id('watch', name),
      parameters: this.style.parameters.list,
      produces: this.style.streams,
      answers: [ok(`${META}WatchEvent`)],
    })
  }

  #route({ path: ownPath, kind }: Target, made: Made): Route {
    const { group, version } = this.#definition
    const path = made.path ?? ownPath
    return {
      tag: tagOf(group, version),
      consumes: this.style.consumes,
      produces: this.style.produces,
      kind,
      named: kind.kind,
      ...made,
      path,
      parameters: [
        ...made.parameters,
        'pretty',
        ...['namespace', 'name'].filter((name) => path.includes(`{${name}}`)),
      ],
    }
  }

  get #scope(): string {
    return this.#definition.namespaced ? 'Namespaced' : ''
  }

  #named(subresource: string): string {
    return `${this.#scope}${this.#definition.kind}${capital(subresource)}`
  }

  #id(verb: string, name: string): string {
    const { group, version } = this.#definition
    return `${verb}${idPrefix(group, version)}${name}`
  }

  #specified({ subresource }: Target): string {
    return `${subresource === '' ? '' : `${subresource} of `}the specified ${this.#definition.kind}`
  }
}

/** Members that one route has of its own. Its path is the target's unless it is given. */
type Made = Omit<Route, 'path' | 'tag' | 'produces'> & Partial<Pick<Route, 'path' | 'produces'>>

const DELETE_OPTIONS: RouteBody = { schema: `${META}DeleteOptions`, required: false }

const ok = (schema: string): RouteAnswer => ({ code: 200, schema })
