import { accessRightsTagId } from '../plan/tenants.ts'
import type { Seeder } from '../seeding.ts'

const columns = [
  'id',
  'reference',
  'address1',
  'town',
  'county',
  'postcode',
  'latitude',
  'longitude',
  'void_flag',
  'access_rights_tag_id',
]

export const seedProperties: Seeder = async ({ write, world: { plan, properties } }) => {
  const tagId = accessRightsTagId(plan.id)
  await write(
    'property',
    columns,
    properties.map((property) => [
      property.id,
      property.reference,
      property.line,
      property.town,
      property.county,
      property.postcode,
      property.latitude,
      property.longitude,
      property.isVoid ? 'Void' : 'NotVoid',
      property.patch && tagId(property.patch),
    ]),
  )
}
