import assert from 'node:assert/strict'
import { test } from 'vitest'
import { QueryClient } from '@tanstack/react-query'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import { rangeShortcuts } from '@caretaker/rules/telemetry/ranges.ts'
import { askForCards, cardQuery, formerlyIn } from './queries.ts'
import type { TelemetrySource } from './source.ts'

const sourceOf = (fetchCard: TelemetrySource['fetchCard']): TelemetrySource => ({
  id: 'one',
  name: 'one',
  key: ['north', 'device', 'one'],
  lastingKey: ['north', 'telemetry', 'one'],
  shortcuts: rangeShortcuts,
  empty: { chart: '', figure: '', events: '' },
  fetchViews: async () => null,
  fetchCard,
})

const card = (id: string, type: TelemetryView['cards'][number]['type'], devices: number) => ({
  ...{ id, type, title: id, gridWidth: 12, hideWhenNoData: false },
  deviceIds: Array.from({ length: devices }, (_, at) => `${at}`),
})

test('a view is requested at once: the main chart first, then the largest cards, each card once', async () => {
  const asked: string[] = []
  const source = sourceOf(async (wanted) => {
    asked.push(wanted.card.id)
    return null
  })
  const view: TelemetryView = {
    ...{ id: 'property', name: 'Property Summary', defaultChartId: 'rooms' },
    cards: [
      card('mean', 'numericCard', 6),
      card('flow', 'lineGraph', 1),
      card('humidity', 'lineGraph', 6),
      card('rooms', 'lineGraph', 6),
      card('events', 'eventsGraph', 7),
    ],
  }
  const client = new QueryClient()
  askForCards(client, view, { source, view: 'property', range: undefined })
  // While the page renders the pending state, nothing is requested twice.
  askForCards(client, view, { source, view: 'property', range: undefined })
  await client.cancelQueries()
  assert.deepEqual(asked, ['rooms', 'humidity', 'flow', 'mean', 'events'])
  client.clear()
})

test('the source receives the cards that are already shown', async () => {
  const asked: boolean[] = []
  const source = sourceOf(async ({ again }) => {
    asked.push(again)
    return null
  })
  const client = new QueryClient()
  const one = cardQuery({ source, view: 'property', card: card('flow', 'lineGraph', 1), range: undefined })
  await client.fetchQuery(one)
  await client.fetchQuery(one)
  assert.deepEqual(asked, [false, true])
  client.clear()
})

test('for another range a card keeps its old data; for another card, view or source it shows nothing', async () => {
  const source = sourceOf(async () => null)
  const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 8)]
  const asked = { source, view: 'property', card: card('flow', 'lineGraph', 1), range: { from, to } } as const
  const former = { from, to, chart: {} as never }
  const shownBy = (other: Partial<typeof asked>) =>
    formerlyIn({ ...asked, range: undefined })(former, { queryKey: cardQuery({ ...asked, ...other }).queryKey })
  assert.equal(shownBy({}), former)
  assert.equal(shownBy({ range: { from, to: Date.now() + 86_400_000 } }), former)
  assert.equal(shownBy({ card: card('return', 'lineGraph', 1) as never }), undefined)
  assert.equal(shownBy({ view: 'monitoring' as never }), undefined)
  assert.equal(shownBy({ source: { ...source, id: 'another' } }), undefined)
  assert.equal(formerlyIn(asked)(null, { queryKey: cardQuery(asked).queryKey }), undefined)
  assert.equal(formerlyIn(asked)(undefined, undefined), undefined)
})
