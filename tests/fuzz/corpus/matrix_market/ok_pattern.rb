Two rows                                                                two     
             3             1             1             0
psa                        2             2             3             0
(3I2)           (4I2)           
 1 3 4
 1 2 2
