import { useState } from 'react'
import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { AwaabsLawFigures } from '@caretaker/contract/awaabs-law.ts'
import { getAwaabsLawFigures, putAwaabsLawFigures } from '@caretaker/contract/calls/awaabs-law.ts'
import type { AwaabsLawFigures as Figures } from '@caretaker/rules/properties/awaabs-law.ts'
import { awaabsLawFigureNames, awaabsLawLimits, defaultAwaabsLaw } from '@caretaker/rules/properties/awaabs-law.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { Card } from '../../../ui/card.tsx'
import { DraftNote, Problems } from '../../../ui/dialog.tsx'
import { NumberField } from '../../../ui/forms/number-field.tsx'
import { discardDraft, useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import classes from './awaabs-law.module.css'

const figuresQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, "Awaab's Law figures"],
    meta: { shows: { subjects: ['client'], edited: true } },
    queryFn: ({ signal }) => call(getAwaabsLawFigures, { params: { tenant } }, { signal }),
  })

const words: Record<keyof Figures, string> = {
  investigation: 'Investigation, from awareness',
  summary: 'Written summary, from the end of the investigation',
  repairs: 'Made safe, from the end of the investigation',
  emergency: 'Emergency investigated and made safe, from when it is found',
  preventive: 'Preventive works begin, from the end of the investigation',
  notice: 'Shown as due soon, before a deadline',
}

/** The client's time limits for each step under Awaab's Law. */
export function AwaabsLawSettings() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(figuresQuery(tenant))
  return (
    <Card title="Time for each step" className={classes.card}>
      {data ? <FiguresForm stored={data} /> : isError ? <Failed onRetry={() => void refetch()} /> : <Loading />}
    </Card>
  )
}

function FiguresForm({ stored }: { stored: Figures & { version: number } }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  // The version that the user started from.
  const [version, setVersion] = useState(stored.version)
  const form = useValidForm({ schema: AwaabsLawFigures, defaultValues: stored, draft: { name: "Awaab's Law" } })
  const save = async (body: Figures) => {
    const saved = await call(putAwaabsLawFigures, { params: { tenant }, body: { ...body, version } })
    setVersion(saved.version)
    queryClient.setQueryData(figuresQuery(tenant).queryKey, saved)
    form.reset(saved)
    showSuccess("Awaab's Law figures saved successfully!")
  }
  const { onSubmit, status, problems } = useSubmission(
    form,
    (values) => [save(values)],
    () => {},
  )
  const { isValid, isDirty } = form.formState
  return (
    <form noValidate className={classes.form} onSubmit={(event) => void onSubmit(event)}>
      <p className={classes.hint}>Your times can be stricter than the law, but not more lenient.</p>
      {awaabsLawFigureNames.map((name) => {
        const { least, most, unit } = awaabsLawLimits[name]
        const usual = `${unit}; ${name === 'notice' ? 'usually' : 'the law allows'} ${defaultAwaabsLaw[name]}`
        return (
          <NumberField key={name} form={form} name={name} label={`${words[name]} (${usual})`} min={least} max={most} />
        )
      })}
      <Button type="submit" disabled={!isValid || !isDirty} loading={status === 'loading'}>
        Save
      </Button>
      {isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
      <Problems texts={problems} />
    </form>
  )
}
