import type { QueryClient } from '@tanstack/react-query'
import type { TelemetryView } from '@caretaker/contract/telemetry.ts'
import { dayAt } from '@caretaker/rules/calendar/days.ts'
import { datedName } from '@caretaker/rules/files/csv.ts'
import { saveFile } from '../api/save-file.ts'
import { csvOf } from './csv.ts'
import { isEmpty, shownUntil, usable } from './drawn.ts'
import { pictureOf } from './picture.ts'
import type { CardAsked } from './queries.ts'
import { cardQuery } from './queries.ts'
import type { CardAnswer } from './source.ts'

interface Shown {
  client: QueryClient
  view: TelemetryView
  asked: Omit<CardAsked, 'card'>
  zone: string
}

/** Downloads the shown data as a file: readings and events, or a picture of the charts. */
export async function saveTelemetry(kind: 'csv' | 'png', shown: Shown): Promise<void> {
  const answers = answersIn(shown)
  const name = datedName(dayAt(Date.now(), shown.zone), `${shown.asked.source.name}-telemetry.${kind}`)
  const body =
    kind === 'csv'
      ? csvOf(
          answers.map(({ chart }) => chart),
          shown.zone,
        )
      : await pictureOf(answers.map(onPage(shown)), `${shown.asked.source.name}, ${shown.view.name}`, shown.zone)
  saveFile(new File([body], name, { type: kind === 'csv' ? 'text/csv;charset=utf-8' : 'image/png' }))
}

const onPage =
  ({ asked: { source } }: Shown) =>
  ({ chart, from, to }: CardAnswer) => ({
    chart,
    range: shownUntil({ from, to }),
    empty: source.empty[chart.type === 'EventTimeline' ? 'events' : chart.type === 'Numeric' ? 'figure' : 'chart'],
  })

/** The loaded cards as shown. */
function answersIn({ client, view, asked }: Shown): CardAnswer[] {
  return view.cards.flatMap((card) => {
    const answer = client.getQueryData(cardQuery({ ...asked, card }).queryKey)
    const chart = usable(answer?.chart)
    return answer && chart && !(card.hideWhenNoData && isEmpty(chart)) ? [{ ...answer, chart }] : []
  })
}
