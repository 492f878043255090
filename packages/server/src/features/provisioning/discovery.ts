import type { Definition } from '@caretaker/rules/provisioning/attributes.ts'
import {
  enterpriseDefinitions,
  groupDefinitions,
  schemas,
  userDefinitions,
} from '@caretaker/rules/provisioning/attributes.ts'
import { mostPerPage } from './query.ts'
import { listResponse, scimPath } from './resources.ts'

const schemaOf = 'urn:ietf:params:scim:schemas:core:2.0:'

/** The features that this server supports (RFC 7643, section 5). */
export const serviceProviderConfig = (origin: string) => ({
  schemas: [`${schemaOf}ServiceProviderConfig`],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: mostPerPage },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Provisioning key',
      description: 'A key from Settings, Sign-in, Provisioning, as a bearer token.',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: `${origin}${scimPath}/ServiceProviderConfig` },
})

export const resourceTypes = (origin: string) =>
  [
    {
      ...{
        id: 'User',
        name: 'User',
        endpoint: '/Users',
        description: 'A user of the directory.',
        schema: schemas.user,
      },
      schemaExtensions: [{ schema: schemas.enterprise, required: false }],
    },
    {
      ...{ id: 'Group', name: 'Group', endpoint: '/Groups', description: 'A group of the directory.' },
      schema: schemas.group,
    },
  ].map((type) => ({
    schemas: [`${schemaOf}ResourceType`],
    ...type,
    meta: { resourceType: 'ResourceType', location: `${origin}${scimPath}/ResourceTypes/${type.id}` },
  }))

export const schemaResources = (origin: string) =>
  [
    { id: schemas.user, name: 'User', description: 'A user of the directory.', attributes: userDefinitions },
    {
      ...{ id: schemas.enterprise, name: 'EnterpriseUser', description: 'The place of a user in the organisation.' },
      attributes: enterpriseDefinitions,
    },
    { id: schemas.group, name: 'Group', description: 'A group of the directory.', attributes: groupDefinitions },
  ].map((schema) => ({
    schemas: [`${schemaOf}Schema`],
    ...schema,
    attributes: schema.attributes.map(attributeOf),
    meta: { resourceType: 'Schema', location: `${origin}${scimPath}/Schemas/${schema.id}` },
  }))

const attributeOf = (one: Definition): object => ({
  name: one.name,
  type: one.type,
  multiValued: one.multiValued ?? false,
  description: one.description,
  required: one.required ?? false,
  caseExact: false,
  mutability: one.readOnly ? 'readOnly' : 'readWrite',
  returned: 'default',
  uniqueness: one.isUnique ? 'server' : 'none',
  ...(one.type === 'reference' && { referenceTypes: [one.name === '$ref' ? 'uri' : 'external'] }),
  ...(one.sub && { subAttributes: one.sub.map(attributeOf) }),
})

export const allOf = (resources: readonly unknown[]) => listResponse(resources.length, 1, resources)
