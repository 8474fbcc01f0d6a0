//===----------------------------------------------------------------------===//
//
// Part of the Coil project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Special functions against values computed with mpmath 40 digits deep.
//
//===----------------------------------------------------------------------===//

#include "coil/Runtime/Special.h"

#include "gtest/gtest.h"

#include <cmath>

namespace {

struct Unary {
  const char *name;
  double (*function)(double);
  double x, expected;
};
struct Binary {
  const char *name;
  double (*function)(double, double);
  double x, y, expected;
};

// mpmath: loggamma, digamma, erfinv, erfc, besseli, ncdf.
const Unary kUnary[] = {
    {"lgamma", coil_special_lgamma, 0.1, 2.252712651734205902},
    {"lgamma", coil_special_lgamma, 0.5, 0.57236494292470008707},
    {"lgamma", coil_special_lgamma, 1.5, -0.12078223763524522235},
    {"lgamma", coil_special_lgamma, 3.7, 1.4280723266653881292},
    {"lgamma", coil_special_lgamma, 10.0, 12.801827480081469611},
    {"lgamma", coil_special_lgamma, 100.0, 359.13420536957539878},
    {"lgamma", coil_special_lgamma, 100000.0, 1051287.7089736568949},
    {"lgamma", coil_special_lgamma, -0.5, 1.2655121234846453965},
    {"lgamma", coil_special_lgamma, -2.3, 0.36956666345500803746},
    {"lgamma", coil_special_lgamma, -10.7, -15.416789096416636124},
    {"digamma", coil_special_digamma, 0.01, -100.56088545786867242},
    {"digamma", coil_special_digamma, 0.5, -1.9635100260214234794},
    {"digamma", coil_special_digamma, 1.0, -0.57721566490153286061},
    {"digamma", coil_special_digamma, 1.5, 0.036489973978576520559},
    {"digamma", coil_special_digamma, 3.7, 1.1671535393615114409},
    {"digamma", coil_special_digamma, 10.0, 2.2517525890667211076},
    {"digamma", coil_special_digamma, 100.0, 4.6001618527380874002},
    {"digamma", coil_special_digamma, 100000.0, 11.512920464961895087},
    {"digamma", coil_special_digamma, -0.5, 0.036489973978576520559},
    {"digamma", coil_special_digamma, -2.3, 3.3173231575618227391},
    {"digamma", coil_special_digamma, -10.7, 0.13374481244706443407},
    {"digamma", coil_special_digamma, -1e-05, 99999.422767885629412},
    {"erfinv", coil_special_erfinv, 1e-10, 8.8622692545275804594e-11},
    {"erfinv", coil_special_erfinv, 0.001, 0.00088622715746655212301},
    {"erfinv", coil_special_erfinv, 0.1, 0.088855990494257691974},
    {"erfinv", coil_special_erfinv, 0.3, 0.27246271472675434502},
    {"erfinv", coil_special_erfinv, 0.5, 0.47693627620446987338},
    {"erfinv", coil_special_erfinv, 0.51, 0.48812205051595882241},
    {"erfinv", coil_special_erfinv, 0.7, 0.73286907795921678488},
    {"erfinv", coil_special_erfinv, 0.9, 1.1630871536766741628},
    {"erfinv", coil_special_erfinv, 0.99, 1.8213863677184494559},
    {"erfinv", coil_special_erfinv, 0.999999, 3.4589107372754987775},
    {"erfinv", coil_special_erfinv, 0.999999999999, 5.0420318985726961301},
    {"erfinv", coil_special_erfinv, -0.25, -0.22531205501217810473},
    {"erfinv", coil_special_erfinv, -0.99, -1.8213863677184494559},
    {"erfcx", coil_special_erfcx, -5.0, 144009798674.66104041},
    {"erfcx", coil_special_erfcx, -1.0, 5.0089800807622834663},
    {"erfcx", coil_special_erfcx, -0.1, 1.1236433541992094807},
    {"erfcx", coil_special_erfcx, 0.0, 1.0},
    {"erfcx", coil_special_erfcx, 0.1, 0.89645697996912663666},
    {"erfcx", coil_special_erfcx, 1.0, 0.42758357615580700441},
    {"erfcx", coil_special_erfcx, 2.0, 0.25539567631050574387},
    {"erfcx", coil_special_erfcx, 5.0, 0.11070463773306862637},
    {"erfcx", coil_special_erfcx, 9.9, 0.056702456938832268241},
    {"erfcx", coil_special_erfcx, 10.1, 0.055590487009239876009},
    {"erfcx", coil_special_erfcx, 30.0, 0.018795888861416751497},
    {"erfcx", coil_special_erfcx, 100000.0, 5.6418958351954680777e-6},
    {"i0", coil_special_i0, 0.0, 1.0},
    {"i0", coil_special_i0, 0.1, 1.0025015629340956017},
    {"i0", coil_special_i0, 1.0, 1.2660658777520083356},
    {"i0", coil_special_i0, -3.0, 4.8807925858650240856},
    {"i0", coil_special_i0, 10.0, 2815.7166284662544715},
    {"i0", coil_special_i0, 25.0, 5774560606.4663103158},
    {"i0", coil_special_i0, 29.9, 708478330489.01452607},
    {"i0", coil_special_i0, 30.1, 862432920031.77921249},
    {"i0", coil_special_i0, 100.0, 1.0737517071310738235e+42},
    {"i0", coil_special_i0, 700.0, 1.5295933476718737363e+302},
    {"i0", coil_special_i0, 710.0, 3.3453345586196559683e+306},
    {"i0", coil_special_i0, 712.0, 2.4684110577627524298e+307},
    {"i0e", coil_special_i0e, 0.0, 1.0},
    {"i0e", coil_special_i0e, 0.1, 0.90710092578230109165},
    {"i0e", coil_special_i0e, 1.0, 0.4657596075936404365},
    {"i0e", coil_special_i0e, -3.0, 0.24300035416182539847},
    {"i0e", coil_special_i0e, 10.0, 0.12783333716342860732},
    {"i0e", coil_special_i0e, 29.9, 0.073269219046001907707},
    {"i0e", coil_special_i0e, 30.1, 0.073023294131060941854},
    {"i0e", coil_special_i0e, 100.0, 0.039944379299096682648},
    {"i0e", coil_special_i0e, 10000.0, 0.0039894726746047321064},
    {"i1", coil_special_i1, 0.0, 0.0},
    {"i1", coil_special_i1, 0.1, 0.0500625260470926949},
    {"i1", coil_special_i1, 1.0, 0.56515910399248502721},
    {"i1", coil_special_i1, -3.0, -3.9533702174026093965},
    {"i1", coil_special_i1, 10.0, 2670.9883037012546543},
    {"i1", coil_special_i1, 25.0, 5657865129.8787013531},
    {"i1", coil_special_i1, 29.9, 696528308361.09269442},
    {"i1", coil_special_i1, 30.1, 847983630191.54142663},
    {"i1", coil_special_i1, 100.0, 1.0683693903381624812e+42},
    {"i1", coil_special_i1, 700.0, 1.5285003902339006881e+302},
    {"i1e", coil_special_i1e, 0.1, 0.045298446808809327277},
    {"i1e", coil_special_i1e, 1.0, 0.20791041534970844887},
    {"i1e", coil_special_i1e, -3.0, -0.19682671329730085363},
    {"i1e", coil_special_i1e, 10.0, 0.12126268138445551872},
    {"i1e", coil_special_i1e, 29.9, 0.072033374911868787814},
    {"i1e", coil_special_i1e, 30.1, 0.071799854351014333186},
    {"i1e", coil_special_i1e, 100.0, 0.039744153025130252674},
    {"i1e", coil_special_i1e, 10000.0, 0.0039892731959836622645},
    {"ndtri", coil_special_ndtri, 1e-300, -37.047096299361199237},
    {"ndtri", coil_special_ndtri, 1e-100, -21.273453560965324294},
    {"ndtri", coil_special_ndtri, 1e-20, -9.2623400897984075796},
    {"ndtri", coil_special_ndtri, 1e-05, -4.2648907939228246102},
    {"ndtri", coil_special_ndtri, 0.01, -2.3263478740408410931},
    {"ndtri", coil_special_ndtri, 0.1, -1.2815515655446004353},
    {"ndtri", coil_special_ndtri, 0.2, -0.84162123357291416552},
    {"ndtri", coil_special_ndtri, 0.3, -0.52440051270804081597},
    {"ndtri", coil_special_ndtri, 0.45, -0.12566134685507400616},
    {"ndtri", coil_special_ndtri, 0.6, 0.25334710313579974132},
    {"ndtri", coil_special_ndtri, 0.7, 0.52440051270804065631},
    {"ndtri", coil_special_ndtri, 0.8, 0.8416212335729143638},
    {"ndtri", coil_special_ndtri, 0.99, 2.3263478740408407676},
    {"ndtri", coil_special_ndtri, 0.999999, 4.7534243088170877657},
    {"log_ndtr", coil_special_log_ndtr, -100.0, -5005.5242086942050886},
    {"log_ndtr", coil_special_log_ndtr, -30.0, -454.32124395634319711},
    {"log_ndtr", coil_special_log_ndtr, -10.0, -53.231285150512470578},
    {"log_ndtr", coil_special_log_ndtr, -5.0, -15.064998393988725736},
    {"log_ndtr", coil_special_log_ndtr, -1.1, -1.997558846986297077},
    {"log_ndtr", coil_special_log_ndtr, -0.9, -1.6924928065613382014},
    {"log_ndtr", coil_special_log_ndtr, 0.0, -0.69314718055994530942},
    {"log_ndtr", coil_special_log_ndtr, 1.0, -0.17275377902344988953},
    {"log_ndtr", coil_special_log_ndtr, 3.0, -0.0013508099647481937988},
    {"log_ndtr", coil_special_log_ndtr, 5.0, -2.8665161296376359338e-7},
    {"log_ndtr", coil_special_log_ndtr, 8.0, -6.2209605742717860585e-16},
};

// mpmath: gammainc(regularized=True), zeta.
const Binary kBinary[] = {
    {"igamma", coil_special_igamma, 0.5, 0.1, 0.34527915398142297956},
    {"igamma", coil_special_igamma, 0.5, 3.0, 0.98569412156457036047},
    {"igamma", coil_special_igamma, 2.0, 1.0, 0.26424111765711535681},
    {"igamma", coil_special_igamma, 2.0, 5.0, 0.95957231800548719742},
    {"igamma", coil_special_igamma, 10.0, 9.0, 0.41259175566805859376},
    {"igamma", coil_special_igamma, 10.0, 20.0, 0.99500458769169241283},
    {"igamma", coil_special_igamma, 100.0, 90.0, 0.1582209891864301681},
    {"igamma", coil_special_igamma, 100.0, 120.0, 0.97213626010947933852},
    {"igamma", coil_special_igamma, 1000.0, 1000.0, 0.5042052441802155085},
    {"igamma", coil_special_igamma, 0.01, 0.001, 0.93857065252612898538},
    {"igamma", coil_special_igamma, 10000.0, 10100.0, 0.8413487504471796224},
    {"igammac", coil_special_igammac, 0.5, 0.1, 0.65472084601857702044},
    {"igammac", coil_special_igammac, 0.5, 3.0, 0.014305878435429639526},
    {"igammac", coil_special_igammac, 2.0, 1.0, 0.73575888234288464319},
    {"igammac", coil_special_igammac, 2.0, 5.0, 0.04042768199451280258},
    {"igammac", coil_special_igammac, 10.0, 9.0, 0.58740824433194140624},
    {"igammac", coil_special_igammac, 10.0, 20.0, 0.0049954123083075871662},
    {"igammac", coil_special_igammac, 100.0, 90.0, 0.8417790108135698319},
    {"igammac", coil_special_igammac, 100.0, 120.0, 0.027863739890520661484},
    {"igammac", coil_special_igammac, 1000.0, 1000.0, 0.4957947558197844915},
    {"igammac", coil_special_igammac, 10000.0, 10100.0, 0.1586512495528203776},
    {"igammac", coil_special_igammac, 0.01, 20.0, 1.0197124051643149361e-12},
    {"igamma", coil_special_igamma, 30.0, 39.0, 0.94088272027646662544},
    {"igamma", coil_special_igamma, 30.0, 21.0, 0.037418797279233009427},
    {"igamma", coil_special_igamma, 1000.0, 701.0, 1.5629328735448026107e-26},
    {"igammac", coil_special_igammac, 30.0, 21.5, 0.95217257592666995047},
    {"igammac", coil_special_igammac, 30.0, 39.5, 0.05064605506377888807},
    {"igammac", coil_special_igammac, 5000.0, 5200.0, 0.0025848134953538086508},
    {"igamma", coil_special_igamma, 1e12, 1e12, 0.50000013298076013381},
    {"igammac", coil_special_igammac, 1e12, 1e12, 0.49999986701923986619},
    {"igammac", coil_special_igammac, 1e30, 1e30, 0.5},
    {"zeta", coil_special_zeta, 2.0, 1.0, 1.6449340668482264365},
    {"zeta", coil_special_zeta, 1.1, 1.0, 10.584448464950800951},
    {"zeta", coil_special_zeta, 3.0, 0.5, 8.4143983221171599978},
    {"zeta", coil_special_zeta, 5.0, 10.0, 0.000030413798676470276438},
    {"zeta", coil_special_zeta, 10.0, 2.0, 0.00099457512781808533715},
    {"zeta", coil_special_zeta, 20.0, 0.3, 28679719907.929696202},
    {"zeta", coil_special_zeta, 2.0, -0.5, 8.9348022005446793094},
    {"zeta", coil_special_zeta, 3.0, -2.5, 0.054102025820863701502},
    {"zeta", coil_special_zeta, 50.0, 3.0, 1.3929563579707038042e-24},
    {"zeta", coil_special_zeta, 2.0, 100000.0, 0.000010000050000166666667},
    {"zeta", coil_special_zeta, 1.0001, 20.0, 9997.0299171548694699},
    {"zeta", coil_special_zeta, 17.5, 12.5, 8.725800795959653993e-20},
    {"zeta", coil_special_zeta, 30.0, 15.0, 6.1169885247006315951e-36},
    {"zeta", coil_special_zeta, 60.0, 60.0, 3.2714156845070579047e-107},
};

void expectClose(double actual, double expected, const char *name, double x) {
  EXPECT_NEAR(actual, expected, 1e-14 * std::fabs(expected))
      << name << " at " << x;
}

TEST(SpecialTest, UnaryValues) {
  for (const Unary &u : kUnary)
    expectClose(u.function(u.x), u.expected, u.name, u.x);
}

TEST(SpecialTest, BinaryValues) {
  for (const Binary &b : kBinary)
    expectClose(b.function(b.x, b.y), b.expected, b.name, b.x);
}

// What the framework gives at the edges of the domains.
TEST(SpecialTest, Edges) {
  double inf = INFINITY;
  EXPECT_EQ(coil_special_lgamma(0.0), inf);
  EXPECT_EQ(coil_special_lgamma(-3.0), inf);
  EXPECT_EQ(coil_special_digamma(0.0), -inf);
  EXPECT_EQ(coil_special_digamma(-0.0), inf);
  EXPECT_TRUE(std::isnan(coil_special_digamma(-4.0)));
  EXPECT_EQ(coil_special_erfinv(1.0), inf);
  EXPECT_EQ(coil_special_erfinv(-1.0), -inf);
  EXPECT_TRUE(std::isnan(coil_special_erfinv(1.5)));
  EXPECT_TRUE(std::isnan(coil_special_erfinv(NAN)));
  EXPECT_EQ(coil_special_erfcx(-30.0), inf);
  EXPECT_EQ(coil_special_erfcx(-1e200), inf);
  EXPECT_EQ(coil_special_erfcx(-inf), inf);
  EXPECT_EQ(coil_special_erfcx(inf), 0);
  EXPECT_TRUE(std::isnan(coil_special_i0(-inf))); // As in PyTorch.
  EXPECT_TRUE(std::isnan(coil_special_i1(-inf)));
  EXPECT_EQ(coil_special_ndtri(0.0), -inf);
  EXPECT_EQ(coil_special_ndtri(1.0), inf);
  EXPECT_EQ(coil_special_log_ndtr(inf), 0);
  EXPECT_EQ(coil_special_igamma(0.0, 1.0), 1);
  EXPECT_TRUE(std::isnan(coil_special_igamma(0.0, 0.0)));
  EXPECT_TRUE(std::isnan(coil_special_igamma(-1.0, 1.0)));
  EXPECT_EQ(coil_special_igammac(inf, 1.0), 1);
  EXPECT_EQ(coil_special_igamma(2.0, inf), 1);
  EXPECT_EQ(coil_special_zeta(1.0, 2.0), inf);
  EXPECT_EQ(coil_special_zeta(2.0, -1.0), inf);
  EXPECT_TRUE(std::isnan(coil_special_zeta(0.5, 2.0)));
  EXPECT_TRUE(std::isnan(coil_special_zeta(2.5, -0.5)));
}

TEST(SpecialTest, FloatVersions) {
  EXPECT_FLOAT_EQ(coil_special_lgammaf(3.5f), 1.2009736f);
  EXPECT_EQ(coil_special_nextafterf(1.0f, 2.0f), 1.0f + 0x1p-23f);
  EXPECT_EQ(coil_special_nextafter(1.0, 0.0), 1.0 - 0x1p-53);
}

} // namespace
