/** The attributes of users as JSON, under the names in their definitions. */
export type Attributes = Record<string, unknown>

export const schemas = {
  user: 'urn:ietf:params:scim:schemas:core:2.0:User',
  enterprise: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User',
  group: 'urn:ietf:params:scim:schemas:core:2.0:Group',
  list: 'urn:ietf:params:scim:api:messages:2.0:ListResponse',
  patch: 'urn:ietf:params:scim:api:messages:2.0:PatchOp',
  error: 'urn:ietf:params:scim:api:messages:2.0:Error',
} as const

/** An attribute as RFC 7643 defines it (section 7). */
export interface Definition {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference'
  description: string
  multiValued?: true
  required?: true
  readOnly?: true
  isUnique?: true
  sub?: readonly Definition[]
}

type More = Pick<Definition, 'multiValued' | 'required' | 'readOnly' | 'isUnique'>
const text = (name: string, description: string, more: More = {}): Definition => ({
  name,
  type: 'string',
  description,
  ...more,
})
const complex = (name: string, description: string, sub: readonly Definition[], more: More = {}): Definition => ({
  name,
  type: 'complex',
  description,
  sub,
  ...more,
})
const list = (name: string, description: string, more: readonly Definition[] = []): Definition =>
  complex(
    name,
    description,
    [
      text('value', 'The value.'),
      text('display', 'The value for display.'),
      text('type', 'The kind of value, such as work.'),
      { name: 'primary', type: 'boolean', description: 'Whether this is the preferred value.' },
      ...more,
    ],
    { multiValued: true },
  )

export const userDefinitions: readonly Definition[] = [
  text('userName', 'The name that identifies the user in the directory.', { required: true, isUnique: true }),
  complex('name', 'The parts of the name.', [
    text('formatted', 'The full name.'),
    text('familyName', 'The family name.'),
    text('givenName', 'The given name.'),
  ]),
  text('displayName', 'The name for display.'),
  text('title', 'The job title.'),
  text('preferredLanguage', 'The preferred language.'),
  { name: 'active', type: 'boolean', description: 'Whether the user may have access.' },
  list('emails', 'E-mail addresses. The primary one, else one of the type work, identifies the user in Caretaker.'),
  list('phoneNumbers', 'Telephone numbers.'),
  list('roles', 'Roles in Caretaker, by the names in the table of groups.'),
  complex(
    'groups',
    'The groups of the user; changed by the groups themselves.',
    [
      text('value', 'The id of the group.', { readOnly: true }),
      { name: '$ref', type: 'reference', description: 'The address of the group.', readOnly: true },
      text('display', 'The name of the group.', { readOnly: true }),
      text('type', 'direct.', { readOnly: true }),
    ],
    { multiValued: true, readOnly: true },
  ),
]

export const enterpriseDefinitions: readonly Definition[] = [
  text('employeeNumber', 'The number of the employee.'),
  text('costCenter', 'The cost centre.'),
  text('organization', 'The organisation.'),
  text('division', 'The division.'),
  text('department', 'The department.'),
  complex('manager', 'The manager of the user.', [
    text('value', 'The id of the manager.'),
    text('displayName', 'The name of the manager.', { readOnly: true }),
  ]),
]

export const groupDefinitions: readonly Definition[] = [
  text('displayName', 'The name of the group, as in the table of groups.', { required: true, isUnique: true }),
  complex(
    'members',
    'The users in the group.',
    [
      text('value', 'The id of the user.'),
      { name: '$ref', type: 'reference', description: 'The address of the user.' },
      text('display', 'The name of the user.', { readOnly: true }),
      text('type', 'User.'),
    ],
    { multiValued: true },
  ),
]

/** Attributes of the standard that are accepted and not stored: access does not need them, and they are personal data. */
export const ignoredAttributes: readonly string[] = [
  ...['password', 'nickname', 'profileurl', 'usertype', 'locale', 'timezone', 'addresses', 'photos', 'ims'],
  ...['entitlements', 'x509certificates', 'honorificprefix', 'honorificsuffix', 'middlename'],
]

/** Attribute names are compared without case (RFC 7643, section 2.1). */
export const definitionNamed = (definitions: readonly Definition[], name: string): Definition | undefined =>
  definitions.find((one) => one.name.toLowerCase() === name.toLowerCase())
