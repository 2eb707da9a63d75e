import { ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import {
  ConfigurationSet,
  ConfigurationSetTlsPolicy,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { RemovalPolicy, Stack } from 'aws-cdk-lib/core'
import { Construct } from 'constructs'
import type { StageMail } from '../settings/stage-settings.ts'
import { statement } from './policy-statement.ts'
import type { TableFunction } from './table-function.ts'

export interface MailProps {
  readonly stageName: string
  readonly mail: StageMail
  readonly key: IKey
}

/** Creates the mail identity, its configuration set and the topic for bounces. */
export class Mail extends Construct {
  readonly configurationSet: ConfigurationSet
  /** The topic of bounces, complaints and refused mails. */
  readonly feedback: Topic
  /** The DNS records by which receivers know that mails are ours; none where the account has the identity already. */
  readonly records: readonly { readonly name: string; readonly value: string }[]
  readonly #address: string
  readonly #domain: string

  constructor(scope: Construct, id: string, { stageName, mail, key }: MailProps) {
    super(scope, id)
    this.#address = /<([^<>]+)>\s*$/.exec(mail.sender)?.[1] ?? mail.sender
    this.#domain = this.#address.slice(this.#address.lastIndexOf('@') + 1)
    this.feedback = this.#createFeedback(key, mail.alerts)
    this.configurationSet = new ConfigurationSet(this, 'ConfigurationSet', {
      configurationSetName: `table-control-${stageName}`,
      tlsPolicy: ConfigurationSetTlsPolicy.REQUIRE,
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    })
    this.configurationSet.addEventDestination('Feedback', {
      destination: EventDestination.snsTopic(this.feedback),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT, EmailSendingEvent.REJECT],
    })
    const created = mail.identity === 'created'
    const identity = created
      ? new EmailIdentity(this, 'Identity', { identity: Identity.domain(this.#domain) })
      : undefined
    // Other stages of the account may send by it.
    identity?.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
    this.records = identity?.dkimRecords ?? []
  }

  /** Lets a function send mails from the one address, by the one configuration set. */
  grantSend(sender: TableFunction): void {
    const identity = (resourceName: string) =>
      Stack.of(this).formatArn({ service: 'ses', resource: 'identity', resourceName })
    const set = Stack.of(this).formatArn({
      service: 'ses',
      resource: 'configuration-set',
      resourceName: this.configurationSet.configurationSetName,
    })
    // An address that was verified by itself takes precedence over its domain.
    const resources = [identity(this.#domain), identity(this.#address), set]
    sender.allow(statement(['ses:SendRawEmail'], resources, { StringEquals: { 'ses:FromAddress': this.#address } }))
  }

  #createFeedback(key: IKey, alerts: readonly string[]): Topic {
    const ses = new ServicePrincipal('ses.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
    })
    const topic = new Topic(this, 'FeedbackTopic', { masterKey: key, enforceSSL: true })
    topic.grantPublish(ses)
    for (const address of alerts) topic.addSubscription(new EmailSubscription(address))
    return topic
  }
}
