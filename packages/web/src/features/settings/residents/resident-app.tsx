import { useQuery } from '@tanstack/react-query'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { AppKeys } from './app-keys.tsx'
import { ContactForm } from './contact-form.tsx'
import { contactsQuery } from './queries.ts'
import { Residents } from './residents.tsx'
import classes from './residents.module.css'

/** The settings of the resident app: contacts, and access of residents to properties. */
export function ResidentApp() {
  const actor = useActor()
  const { data, isError, refetch } = useQuery(contactsQuery(actor.tenant))
  return (
    <div className={classes.page}>
      <Card title="Support Contact Details" className={classes.contacts}>
        {data ? (
          <ContactForm stored={data} disabled={!can(actor, 'set resident app')} />
        ) : isError ? (
          <Failed onRetry={() => void refetch()} />
        ) : (
          <Loading />
        )}
      </Card>
      {can(actor, 'manage api keys') && <AppKeys />}
      {can(actor, 'see residents') && <Residents />}
    </div>
  )
}
