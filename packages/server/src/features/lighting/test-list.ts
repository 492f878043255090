import { sql } from 'kysely'
import type { TestSort } from '@caretaker/contract/lighting.ts'
import type { Actor } from '@caretaker/rules/identity/actor.ts'
import { isLimited } from '@caretaker/rules/identity/actor.ts'
import type { Filter } from '@caretaker/rules/lists/filters.ts'
import { testFields, testLists } from '@caretaker/rules/lighting/tests-list.ts'
import { mostTestsCounted, testTypes, tooManyTestsToSort, worstResults } from '@caretaker/rules/lighting/tests.ts'
import { boundedSource } from '../../lists/bounded.ts'
import type { Wanted } from '../../lists/read.ts'
import type { Rows, Stored } from '../../lists/source.ts'
import type { TenantTx } from '../../postgres/tenant.ts'
import { isInGroup, isOfLights, lightsThat } from './tested-lights.ts'

/** The position of a value in a fixed list. */
const placeIn = (words: readonly string[], column: string) =>
  `array_position(array[${words.map((word) => `'${word}'`).join(', ')}], ${column})`

/** A text of the light, in natural sort order. */
const ofLight = (name: 'name' | 'building_name') =>
  ({ value: `device.${name}_folded collate natural_order` }) satisfies Stored

/** The source of the list of all test results. */
export const testList = boundedSource<'emergency_test', typeof testFields, 'EmergencyTestResults'>({
  fields: testFields,
  lists: testLists,
  table: 'emergency_test',
  id: 'emergency_test.event_id',
  columns: {
    testDate: { value: 'emergency_test.started_at' },
    deviceName: ofLight('name'),
    deviceSerial: { value: 'device.serial' },
    buildingName: { ...ofLight('building_name'), nullable: true },
    testType: { value: 'emergency_test.test_type', order: placeIn(testTypes, 'emergency_test.test_type') },
    result: {
      value: 'emergency_test.result',
      order: placeIn(worstResults, 'emergency_test.result'),
      falls: true,
      // The index starts with the type.
      implies: () => sql`emergency_test.test_type = any(${[...testTypes]}::text[])`,
    },
    reason: { value: 'emergency_test.reason' },
    eventId: { has: (ids) => sql`emergency_test.event_id = any(${ids}::uuid[])` },
    buildingId: { has: (ids) => sql`device.building_id = any(${ids}::uuid[])` },
    groupId: { has: (ids, tenant, actor) => isInGroup(sql`emergency_test.device_id`, ids, tenant, actor) },
    decision: {
      has: (decisions) =>
        decisions.includes('disputed')
          ? sql`emergency_test.disputed is not null`
          : sql`emergency_test.corrected_at is not null`,
    },
  },
  search: async (tx, actor, text) => [await isOfLights(tx, lightsThat(tx, actor, { text }), 'emergency_test')],
  key: 'emergency_test.event_id',
  sorts: [{ fieldId: 'testDate', descending: true }],
  mostSorted: mostTestsCounted,
  tooMany: tooManyTestsToSort,
  visible: testsSeen,
})

/**
 * The tests of lights that the actor may see. Each test has one light, so the database drops the outer join where
 * nothing needs it; with an inner join it would read the lights of all counted tests.
 */
function testsSeen(tx: TenantTx, actor: Actor): Rows<'emergency_test'> {
  const rows = tx
    .selectFrom('emergency_test')
    .leftJoin('device', (join) =>
      join.on('device.tenant_id', '=', tx.tenant).onRef('device.id', '=', 'emergency_test.device_id'),
    )
    .where('emergency_test.tenant_id', '=', tx.tenant)
    .$if(isLimited(actor), (limited) => limited.where('device.access_rights_tag_id', 'in', [...actor.tags]))
  return rows as unknown as Rows<'emergency_test'>
}

/** What a call requests about tests, apart from the order. */
export interface TestsAsked {
  text?: string | undefined
  from?: string | undefined
  to?: string | undefined
  testType?: string | undefined
  result?: string | undefined
  eventId?: string | undefined
  buildingId?: string | undefined
  groupId?: string | undefined
  decision?: string | undefined
}

/** A call's query for the list engine; among equals, the newest tests come first. */
export function testsWanted(
  { text = '', from, to, ...equal }: TestsAsked,
  { sort, descending }: { sort: TestSort; descending: boolean },
): Wanted<'EmergencyTestResults'> {
  const filters: Filter[] = Object.entries({ from, to }).flatMap(([filterOp, value]): Filter[] =>
    value === undefined ? [] : [{ fieldId: 'testDate', filterOp: filterOp as 'from' | 'to', value }],
  )
  for (const fieldId of ['testType', 'result', 'eventId', 'buildingId', 'groupId', 'decision'] as const)
    if (equal[fieldId] !== undefined) filters.push({ fieldId, filterOp: 'equals', value: equal[fieldId] })
  const byDate = { fieldId: 'testDate', descending: sort === 'testDate' ? descending : true }
  const first = { fieldId: sort, descending }
  // Keeps lights with the same name apart.
  const ofOneLight = sort === 'deviceName' ? [{ fieldId: 'deviceSerial', descending }] : []
  const sorts = sort === 'testDate' ? [byDate] : [first, ...ofOneLight, byDate]
  return { listing: 'EmergencyTestResults', filters, sorts, search: text }
}
