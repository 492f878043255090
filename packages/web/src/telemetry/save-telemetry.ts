import type { QueryClient } from '@tanstack/react-query'
import type { Chart, TelemetryView } from '@caretaker/contract/telemetry.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import { saveFile } from '../api/save-file.ts'
import { csvOf } from './csv.ts'
import { pictureOf } from './picture.ts'
import type { CardAsked } from './queries.ts'
import { cardQuery } from './queries.ts'

interface Shown {
  client: QueryClient
  view: TelemetryView
  asked: Omit<CardAsked, 'card'>
  zone: string
}

/** Hands what is shown to the browser as a file: its readings and events, or a picture of its charts. */
export async function saveTelemetry(kind: 'csv' | 'png', shown: Shown): Promise<void> {
  const charts = chartsIn(shown)
  const name = datedName(dayAt(Date.now(), shown.zone), `${shown.asked.source.name}-telemetry.${kind}`)
  const body =
    kind === 'csv'
      ? csvOf(charts, shown.zone)
      : await pictureOf(charts, `${shown.asked.source.name}, ${shown.view.name}`)
  saveFile(new File([body], name, { type: kind === 'csv' ? 'text/csv;charset=utf-8' : 'image/png' }))
}

/** The charts that have loaded, as they are shown. */
function chartsIn({ client, view, asked }: Shown): Chart[] {
  return view.cards.flatMap((card) => {
    const told = client.getQueryData(cardQuery({ ...asked, card }).queryKey)
    const isHidden = card.hideWhenNoData && !told?.chart.dataSeries?.some(({ series }) => series?.length)
    return told && !isHidden ? [told.chart] : []
  })
}
