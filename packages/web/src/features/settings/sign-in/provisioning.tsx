import { Checkbox } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { setProvisioning } from '@caretaker/contract/calls/provisioning.ts'
import type { Provisioning } from '@caretaker/contract/provisioning.ts'
import { useActor } from '../../../api/actor.ts'
import { call } from '../../../api/call.ts'
import { showCallError } from '../../../api/errors.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { ProvisioningKeys } from './provisioning-keys.tsx'
import { provisioningQuery } from './queries.ts'
import { SignInCard } from './sign-in-card.tsx'
import classes from './sign-in.module.css'

const counted = (count: number, one: string) => `${count.toLocaleString('en-GB')} ${one}${count === 1 ? '' : 's'}`

/** The provisioning of users by the client's directory. */
export function ProvisioningSettings() {
  const { tenant } = useActor()
  const { data, isError, refetch } = useQuery(provisioningQuery(tenant))
  return (
    <SignInCard title="Provisioning">
      <p className={classes.hint}>
        With SCIM 2.0, a directory such as Entra ID or Okta adds, changes and removes users. Their groups decide their
        role.
      </p>
      {data ? <State data={data} /> : isError ? <Failed onRetry={() => void refetch()} /> : <Loading />}
    </SignInCard>
  )
}

function State({ data }: { data: Provisioning }) {
  const { tenant } = useActor()
  const queryClient = useQueryClient()
  const { queryKey } = provisioningQuery(tenant)
  const setInvites = async (invites: boolean) => {
    await call(setProvisioning, { params: { tenant }, body: { invites } })
    queryClient.setQueryData(queryKey, (now) => now && { ...now, invites })
  }
  return (
    <>
      <dl className={classes.facts}>
        <dt>Address</dt>
        <dd>
          <code>{data.address}</code>
        </dd>
        <dt>Directory</dt>
        <dd>
          {counted(data.users, 'user')}, {data.members.toLocaleString('en-GB')} with access;{' '}
          {counted(data.groups, 'group')}
        </dd>
      </dl>
      <ProvisioningKeys keys={data.keys} />
      <Checkbox
        label="Invite new users by e-mail"
        description="Without an invitation, they use single sign-on or ‘Forgot password’."
        checked={data.invites}
        onChange={(event) => {
          setInvites(event.currentTarget.checked).catch(showCallError)
        }}
      />
      {data.withoutAccess.length > 0 && (
        <section aria-label="Users without a role from a group">
          <h3 className={classes.heading}>Users without a role from a group</h3>
          <ul className={classes.rows}>
            {data.withoutAccess.map(({ id, name, userName, reason }) => (
              <li key={id}>
                <span className={classes.group}>
                  <b>{name}</b>
                  <span className={classes.hint}>{userName}</span>
                </span>
                <span>{reason}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
