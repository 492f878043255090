import { Button } from '@mantine/core'
import { IconClipboardCheck, IconExternalLink } from '../../../icons/index.ts'
import type { Property } from '@caretaker/contract/properties.ts'
import { hasFeature } from '@caretaker/rules/identity/actor.ts'
import { surveyLabels } from '@caretaker/rules/properties/details.ts'
import { can } from '@caretaker/rules/rights/can.ts'
import { useActor } from '../../../api/actor.ts'
import { Card } from '../../../ui/card.tsx'
import { AwaabsLawCard } from './awaabs-law.tsx'
import { DampCard } from './damp-card.tsx'
import { EnergyCard } from './energy-card.tsx'
import { GasAppliances } from './gas-appliances.tsx'
import { HomeNowCard } from './home-now-card.tsx'
import { PropertyDetails } from './property-details.tsx'
import { PropertyInformation } from './property-information.tsx'
import { ResidentsCard } from './residents-card.tsx'
import { VoidPanel } from './void-panel.tsx'
import classes from './info.module.css'

/** The information and settings of a property. */
export function PropertyInfo({ property }: { property: Property }) {
  const actor = useActor()
  return (
    <>
      <div className={classes.columns}>
        <div className={classes.cards}>
          {hasFeature(actor, 'AwaabsLaw') && <AwaabsLawCard property={property} />}
          <PropertyInformation property={property} />
          <GasAppliances property={property} />
          <PropertyDetails property={property} />
          {hasFeature(actor, 'Surveys') && <Surveys property={property} />}
        </div>
        <div className={classes.cards}>
          {hasFeature(actor, 'VoidFlag') && <VoidPanel property={property} />}
          <HomeNowCard propertyId={property.propertyId} />
          <DampCard propertyId={property.propertyId} />
          <EnergyCard property={property} />
          {can(actor, 'see residents') && <ResidentsCard propertyId={property.propertyId} />}
        </div>
      </div>
    </>
  )
}

/** The links to the client's surveys; a survey without an address is not a link. */
function Surveys({ property }: { property: Property }) {
  return (
    <Card title="Surveys">
      <div className={classes.surveys}>
        {surveyLabels.map((label) => {
          const href = property.surveys[label]
          const look = {
            variant: 'default',
            leftSection: <IconClipboardCheck size={16} stroke={1.7} aria-hidden />,
            rightSection: <IconExternalLink size={14} stroke={1.7} aria-hidden />,
          } as const
          return href ? (
            <Button key={label} {...look} component="a" href={href} target="_blank" rel="noreferrer">
              {label}
            </Button>
          ) : (
            <Button key={label} {...look} disabled title="No address is set for this survey">
              {label}
            </Button>
          )
        })}
      </div>
    </Card>
  )
}
