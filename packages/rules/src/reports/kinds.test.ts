import assert from 'node:assert/strict'
import { test } from 'vitest'
import type { Role } from '../identity/roles.ts'
import { roles } from '../identity/roles.ts'
import { isReportTag, offeredReports, reports, reportTypes } from './kinds.ts'

const actor = (role: Role) => ({
  ...{ userId: 'u', memberId: 'm', tenant: 'north', role, tags: [], features: [], capabilities: [] },
})

test("the report types are those of the specification, gas safety and Awaab's Law, one of them hidden [est-9-29] [est-2.6-10]", () => {
  const wanted = ['FailedEmeredReport', 'EmeredComplianceReport', 'Overview', 'DampAndMould', 'FuelPoverty']
  assert.deepEqual(reportTypes, [...wanted, 'GasSafety', 'AwaabsLaw'])
  for (const role of roles) assert.ok(!offeredReports(actor(role)).includes('EmeredComplianceReport'), role)
})

test('users are offered reports about devices that their role can access [est-2.6-14]', () => {
  assert.deepEqual(offeredReports(actor('LightingEngineer')), ['Overview', 'FailedEmeredReport'])
  assert.deepEqual(offeredReports(actor('BoilerEngineer')), ['Overview', 'DampAndMould', 'FuelPoverty', 'GasSafety'])
  const ofHomes = ['Overview', 'DampAndMould', 'FuelPoverty', 'GasSafety']
  for (const role of ['Manager', 'Guest', 'Admin'] as const)
    assert.deepEqual(offeredReports(actor(role)), [...ofHomes, 'FailedEmeredReport'])
  // Developers have every feature of a client.
  for (const role of ['Developer'] as const)
    assert.deepEqual(offeredReports(actor(role)), [...ofHomes, 'AwaabsLaw', 'FailedEmeredReport'])
})

test("the Awaab's Law report is offered to users who may see the breach register", () => {
  const lawful = { features: ['PropertyCentric', 'AwaabsLaw'], capabilities: ['ViewProperties'] } as const
  for (const role of ['Manager', 'Guest', 'BoilerEngineer'] as const)
    assert.ok(offeredReports({ ...actor(role), ...lawful }).includes('AwaabsLaw'), role)
  const without = { ...actor('Manager'), ...lawful, features: ['PropertyCentric'] as const }
  assert.ok(!offeredReports(without).includes('AwaabsLaw'))
})

test('the tag Default is not offered, in any case [est-2.6-16]', () => {
  assert.deepEqual(['Default', 'default', 'East Patch'].map(isReportTag), [false, false, true])
})

test('every column states its formula, its source and its value if too little is known', () => {
  for (const type of reportTypes)
    for (const { label, formula, source, tooFew } of reports[type].columns) {
      assert.ok(
        [formula, source].every((text) => text.length > 8 && text.endsWith('.')),
        `${type} ${label}`,
      )
      assert.match(
        tooFew,
        /empty|^0 if|not assessed|all properties|“.+” if|states why|serial number/i,
        `${type} ${label}`,
      )
    }
})
