import 'reflect-metadata'
import { Controller, Get, Inject, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { getRepositoryToken, TypeOrmModule } from '@nestjs/typeorm'
import { FilterOperator, Paginate, paginate } from 'nestjs-paginate'
import { EntitySchema } from 'typeorm'
import { compress, connections, databaseUrl, listen } from './listen.mjs'

// NestJS, TypeORM and nestjs-paginate, as their guides put them together; decorators are called as the functions that
// they are.
const airport = new EntitySchema({
  name: 'airports',
  columns: { iata: { type: 'text', primary: true }, city: { type: 'text' }, state: { type: 'text' } },
})
const placed = (name) => ({
  type: 'many-to-one',
  target: 'airports',
  joinColumn: { name, referencedColumnName: 'iata' },
})
const flight = new EntitySchema({
  name: 'flights',
  columns: {
    id: { type: 'int', primary: true },
    date: { type: 'timestamp' },
    delay: { type: 'int' },
    distance: { type: 'int' },
    origin: { type: 'text' },
    destination: { type: 'text' },
  },
  relations: { departure: placed('origin'), arrival: placed('destination') },
})

const pages = {
  sortableColumns: ['id', 'date'],
  defaultSortBy: [
    ['date', 'DESC'],
    ['id', 'DESC'],
  ],
  relations: ['departure', 'arrival'],
  filterableColumns: { origin: [FilterOperator.EQ], destination: [FilterOperator.EQ] },
  defaultLimit: 20,
}

class FlightsController {
  constructor(flights) {
    this.flights = flights
  }

  list(query) {
    return paginate(query, this.flights, pages)
  }
}
Controller('flights')(FlightsController)
Inject(getRepositoryToken(flight))(FlightsController, undefined, 0)
Paginate()(FlightsController.prototype, 'list', 0)
Get()(FlightsController.prototype, 'list', Object.getOwnPropertyDescriptor(FlightsController.prototype, 'list'))

class FlightsModule {}
const connection = {
  type: 'postgres',
  url: databaseUrl,
  entities: [flight, airport],
  extra: { max: connections },
}
Module({
  imports: [TypeOrmModule.forRoot(connection), TypeOrmModule.forFeature([flight])],
  controllers: [FlightsController],
})(FlightsModule)

const app = await NestFactory.create(FlightsModule, { logger: ['error'] })
app.use(compress)
await app.init()
listen(app.getHttpServer())
