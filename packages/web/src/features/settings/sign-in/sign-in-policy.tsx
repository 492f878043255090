import { useState } from 'react'
import { Button } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { getSignInPolicy, setSignInPolicy } from '@caretaker/contract/calls/tenants.ts'
import { SignInPolicy } from '@caretaker/contract/tenants.ts'
import { internalRoles, roles } from '@caretaker/rules/identity/roles.ts'
import { sessionLimits } from '@caretaker/rules/identity/sign-in-policy.ts'
import { roleWords } from '@caretaker/rules/tenants/clients.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { DraftNote, Problems } from '../../../ui/dialog.tsx'
import { ChoicesField } from '../../../ui/forms/fields.tsx'
import { NumberField } from '../../../ui/forms/number-field.tsx'
import { discardDraft, useSubmission, useValidForm } from '../../../ui/forms/use-form.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { showSuccess } from '../../../ui/toasts.tsx'
import { SignInCard } from './sign-in-card.tsx'
import classes from './sign-in.module.css'

const policyQuery = (tenant: string) =>
  queryOptions({
    queryKey: [tenant, 'sign-in policy'],
    queryFn: ({ signal }) => call(getSignInPolicy, { params: { tenant } }, { signal }),
  })

/** How the users of the client sign in. */
export function SignInPolicySettings() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(policyQuery(tenant))
  if (!data) return isError ? <Failed onRetry={() => void refetch()} /> : <Loading />
  const { isEmbedded, version, ...policy } = data
  return (
    <SignInCard title="Second factor and sessions">
      {isEmbedded ? (
        <PolicyForm stored={policy} version={version} />
      ) : (
        <p className={classes.hint}>
          Your organisation&apos;s identity provider signs people in. Second factors and sessions are set there.
        </p>
      )}
    </SignInCard>
  )
}

function PolicyForm({ stored, ...given }: { stored: SignInPolicy; version: number }) {
  const { tenant, role } = useActor()
  const queryClient = useQueryClient()
  // The version that the user started from.
  const [version, setVersion] = useState(given.version)
  const form = useValidForm({ schema: SignInPolicy, defaultValues: stored, draft: { name: 'sign-in policy' } })
  const save = async (body: SignInPolicy) => {
    await call(setSignInPolicy, { params: { tenant }, body: { ...body, version } })
    // The change is saved even if its version cannot be read.
    const saved = await queryClient.fetchQuery({ ...policyQuery(tenant), staleTime: 0 }).catch(() => undefined)
    if (saved) setVersion(saved.version)
    form.reset(body)
    showSuccess('Sign-in settings saved')
  }
  const { onSubmit, status, problems } = useSubmission(
    form,
    (values) => [save(values)],
    () => {},
  )
  const { isValid, isDirty } = form.formState
  const isFixed = (one: (typeof roles)[number]) => internalRoles.includes(one) && !internalRoles.includes(role)
  const choices = roles.filter((one) => !isFixed(one) || stored.secondFactorRoles.includes(one))
  return (
    <form noValidate className={classes.content} onSubmit={(event) => void onSubmit(event)}>
      <ChoicesField
        form={form}
        name="secondFactorRoles"
        label="Roles that need a second factor"
        description="Users with these roles add a passkey or an authenticator app at their next sign-in."
        placeholder="None"
        data={choices.map((one) => ({ value: one, label: roleWords(one) }))}
      />
      <NumberField
        form={form}
        name="idleMinutes"
        label="Idle time until a session ends, in minutes"
        min={sessionLimits.idleMinutes.least}
        max={sessionLimits.idleMinutes.most}
        step={15}
      />
      <NumberField
        form={form}
        name="sessionHours"
        label="Longest duration of a session, in hours"
        min={sessionLimits.sessionHours.least}
        max={sessionLimits.sessionHours.most}
      />
      <p className={classes.hint}>
        If a person belongs to several clients, the shortest times apply. New limits apply from the next use of a
        session.
      </p>
      <Button type="submit" disabled={!isValid || !isDirty} loading={status === 'loading'}>
        Save
      </Button>
      {isDirty && <DraftNote onDiscard={() => discardDraft(form)} />}
      <Problems texts={problems} />
    </form>
  )
}
